"""The same model in plain PyTorch, tuned by hand: all heads of a layer in one product, the context's product once
per row, batches by index from one tensor, Adam in its fused form."""

import torch
import torch.nn.functional as F


class PlainModel:
    def __init__(self, problem):
        work = problem.work
        self.work = work
        self.layers = len(work["widths"])

        def leaf(array):
            return torch.tensor(array).requires_grad_(True)

        self.weights = [leaf(problem.stacked(l, "weight")) for l in range(self.layers)]
        self.biases = [leaf(problem.stacked(l, "bias").flatten()) for l in range(self.layers)]
        self.lambdas = [leaf(problem.stacked(l, "lambda").flatten()) for l in range(self.layers)]
        self.readout = leaf(problem.tensor("readout/weight"))
        self.readout_bias = leaf(problem.tensor("readout/bias").flatten()) if work["readout_bias"] else None

    def parameters(self):
        some = [*self.weights, *self.biases, *self.lambdas, self.readout]
        return some if self.readout_bias is None else [*some, self.readout_bias]

    def blocks(self, heads, layer):
        u, c, t = heads.chunk(3, dim=-1)
        lu, lc, lt = F.softplus(self.lambdas[layer]).chunk(3)
        return lu * torch.tanh(u) - lc * torch.relu(c) - lt * torch.abs(t)

    def scores(self, x, y=None):
        context = self.work["context"]
        w = self.weights[0]
        heads = F.linear(x, w[:, :context], self.biases[0])
        if y is not None:
            heads = heads + F.linear(y, w[:, context:])
        elif self.work["form"] == "scalar":  # one row per class
            heads = heads.unsqueeze(1) + w[:, context:].t()
        s = self.blocks(heads, 0)
        for layer in range(1, self.layers):
            s = self.blocks(F.linear(s, self.weights[layer], self.biases[layer]), layer)
        out = F.linear(s, self.readout, self.readout_bias)
        return out.squeeze(-1) if out.shape[-1] == 1 else out


def score_matching(model, x, y, noise, sigma):
    moved = (y + sigma * noise).requires_grad_(True)
    gradient = torch.autograd.grad(model.scores(x, moved).sum(), moved, create_graph=True)[0]
    return 0.5 * (gradient + noise / sigma).pow(2).sum(dim=1).mean()


def loss_of(model, x, target, noise):
    if model.work["objective"] == "score_matching":
        return score_matching(model, x, target, noise, model.work["sigma"])
    return F.cross_entropy(model.scores(x), target)


def tensors_of(problem):
    scores = problem.work["objective"] == "score_matching"
    return torch.tensor(problem.context), torch.tensor(problem.values if scores else problem.classes)


def start_check(problem):
    """Loss and gradient of the first batch at the starting values: largest relative differences from ours."""
    model, batch = PlainModel(problem), problem.work["batch"]
    x, target = tensors_of(problem)
    loss = loss_of(model, x[:batch], target[:batch], torch.tensor(problem.fixed_noise[:batch]))
    loss.backward()
    ours, theirs = [], []
    for l in range(model.layers):
        for what, own in (("weight", model.weights), ("bias", model.biases), ("lambda", model.lambdas)):
            ours.append(torch.tensor(problem.stacked(l, what, problem.gradient)).flatten())
            theirs.append(own[l].grad.flatten())
    ours.append(torch.tensor(problem.tensor("readout/weight", problem.gradient)).flatten())
    theirs.append(model.readout.grad.flatten())
    ours, theirs = torch.cat(ours), torch.cat(theirs)
    of_loss = abs(float(loss.detach()) - problem.start_loss) / abs(problem.start_loss)
    return of_loss, float((ours - theirs).abs().max() / theirs.abs().max())


def full_loss(model, problem):
    x, target = tensors_of(problem)
    return float(loss_of(model, x, target, torch.tensor(problem.fixed_noise)).detach())


class PlainRun:
    """Training with our orders of rows and our noise: the final loss must be ours."""

    def __init__(self, problem):
        self.problem = problem
        self.x, self.target = tensors_of(problem)
        self.orders = torch.tensor(problem.orders)
        self.noise = torch.tensor(problem.noise)

    def train(self, epochs):
        work = self.problem.work
        model = PlainModel(self.problem)
        optimizer = torch.optim.Adam(model.parameters(), lr=work["learning_rate"], fused=True)
        for epoch in range(epochs):
            for rows in self.orders[epoch].split(work["batch"]):
                optimizer.zero_grad(set_to_none=True)
                loss_of(model, self.x[rows], self.target[rows], self.noise[epoch][rows]).backward()
                optimizer.step()
        return lambda: full_loss(model, self.problem)
