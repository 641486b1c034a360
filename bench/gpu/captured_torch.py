"""The workloads of bench_gpu in PyTorch on the GPU: data on the device, fused Adam, every step recorded as a CUDA graph."""

import pathlib
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "end_to_end"))
import plain_torch  # noqa: E402

JUDGED = 8192  # rows of the losses that are compared


def captured(step, restore):
    """A replayable graph of step(), which is run a few times first; restore() undoes what that changed."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    restore()
    return graph


def seconds(work):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return time.perf_counter() - begin


class CapturedRun:
    """Our orders of rows and our noise: the final loss must be ours."""

    def __init__(self, problem, precision="float32"):
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        self.rounded = torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16", cache_enabled=False)
        self.problem, work = problem, problem.work
        self.x, self.target = (t.cuda() for t in plain_torch.tensors_of(problem))
        self.orders = torch.tensor(problem.orders).cuda().reshape(-1, work["batch"])
        self.noise = torch.tensor(problem.noise).cuda().reshape(work["epochs"] * work["rows"], -1)
        self.model = model = plain_torch.PlainModel(problem)
        for name in ("weights", "biases", "lambdas"):
            setattr(model, name, [p.detach().cuda().requires_grad_(True) for p in getattr(model, name)])
        model.readout = model.readout.detach().cuda().requires_grad_(True)
        if model.readout_bias is not None:
            model.readout_bias = model.readout_bias.detach().cuda().requires_grad_(True)
        self.optimizer = torch.optim.Adam(model.parameters(), lr=work["learning_rate"], fused=True, capturable=True)
        self.counter = torch.zeros(1, dtype=torch.int64, device="cuda")
        self.start = [p.detach().clone() for p in model.parameters()]
        self.graph = captured(self.step, self.restore)

    def step(self):
        work = self.problem.work
        rows = self.orders.index_select(0, self.counter).squeeze(0)
        epoch = self.counter * work["batch"] // work["rows"]
        noise = self.noise[epoch * work["rows"] + rows] if work["values"] else None
        self.optimizer.zero_grad(set_to_none=True)
        with self.rounded:
            loss = plain_torch.loss_of(self.model, self.x[rows], self.target[rows], noise)
        loss.backward()
        self.optimizer.step()
        self.counter += 1

    def restore(self):
        with torch.no_grad():
            for parameter, value in zip(self.model.parameters(), self.start):
                parameter.copy_(value)
            for state in self.optimizer.state.values():
                for value in state.values():
                    value.zero_()
            self.counter.zero_()

    def train(self):
        """Rows a second after the first epoch, and the final loss."""
        work = self.problem.work
        per_epoch = work["rows"] // work["batch"]

        def epochs(count):
            for _ in range(count * per_epoch):
                self.graph.replay()

        epochs(1)
        taken = seconds(lambda: epochs(work["epochs"] - 1))
        fixed = torch.tensor(self.problem.fixed_noise[:JUDGED]).cuda()
        loss = plain_torch.loss_of(self.model, self.x[:JUDGED], self.target[:JUDGED], fixed)
        return work["rows"] * (work["epochs"] - 1) / taken, float(loss.detach())


def heads_to_blocks(heads, lambdas):
    u, c, t = heads.chunk(3, dim=-1)
    lu, lc, lt = torch.nn.functional.softplus(lambdas).chunk(3, dim=-1)
    return lu * torch.tanh(u) - lc * torch.relu(c) - lt * torch.abs(t)


def langevin(chains, steps):
    """Chain-steps a second of [36,6], 12 + 8 inputs."""
    generator = torch.Generator("cuda").manual_seed(1)

    def random(*shape):
        return 0.3 * torch.randn(*shape, device="cuda", generator=generator)

    w1, b1, l1, w2, b2, l2, readout = (random(20, 108), random(108), random(108), random(36, 18), random(18), random(18),
                                       random(6, 1))
    x, y, size = random(chains, 12) / 0.3, random(chains, 8) / 0.3, 0.05
    fixed = x @ w1[:12] + b1

    def step():
        point = y.detach().requires_grad_(True)
        s = heads_to_blocks(fixed + point @ w1[12:], l1)
        total = (heads_to_blocks(s @ w2 + b2, l2) @ readout).sum()
        slope = torch.autograd.grad(total, point)[0]
        y.add_(size**2 / 2 * slope + size * torch.randn_like(y))

    graph = captured(step, lambda: None)

    def run():
        for _ in range(steps):
            graph.replay()

    run()
    return chains * steps / seconds(run)


def many_models(widths, models, rows, batch, steps):
    """Model-rows a second of score matching, 12 + 1 inputs, all models in batched products."""
    sizes, inputs, parameters = [], 13, []
    for width in widths:
        sizes.append((inputs, 3 * width))
        inputs = width
    for read, heads in sizes:
        parameters += [torch.randn(models, read, heads) / read**0.5, torch.zeros(models, 1, heads), torch.zeros(models, 1, heads)]
    parameters.append(torch.randn(models, inputs, 1) / inputs**0.5)
    parameters = [p.cuda().requires_grad_(True) for p in parameters]
    x, y = torch.randn(rows, 12, device="cuda"), torch.randn(rows, 1, device="cuda")
    orders = torch.argsort(torch.rand(64, models, rows, device="cuda"), dim=-1)[:, :, :batch]
    counter = torch.zeros(1, dtype=torch.int64, device="cuda")
    optimizer = torch.optim.Adam(parameters, lr=1e-3, fused=True, capturable=True)

    def step():
        picked = orders.index_select(0, counter % 64).squeeze(0)
        noise = torch.randn(models, batch, 1, device="cuda")
        moved = (y[picked] + 0.5 * noise).requires_grad_(True)
        s = torch.cat([x[picked], moved], dim=-1)
        for layer in range(len(widths)):
            w, b, lam = parameters[3 * layer:3 * layer + 3]
            s = heads_to_blocks(torch.baddbmm(b, s, w), lam)
        slope = torch.autograd.grad(torch.bmm(s, parameters[-1]).sum(), moved, create_graph=True)[0]
        optimizer.zero_grad(set_to_none=True)
        (0.5 * (slope + noise / 0.5).pow(2).sum() / batch).backward()
        optimizer.step()
        counter.add_(1)

    graph = captured(step, lambda: None)

    def run():
        for _ in range(steps):
            graph.replay()

    run()
    return models * batch * steps / seconds(run)


def product_rate(precision):
    """Operations a second of an 8192^3 product."""
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=dtype) for _ in range(2))
    a @ b
    count = 5

    def run():
        for _ in range(count):
            a @ b

    return 2 * 8192**3 * count / seconds(run)
