"""The published package `blnetwork` on the same work, through its own trainers (scalar form only)."""

import torch
from blnetwork.model import BLDeep
from blnetwork.training.base import TrainConfig
from blnetwork.training.continuous import ContinuousTrainer
from blnetwork.training.discrete import DiscreteTrainer
from blnetwork.training.utils import OptimConfig
from plain_torch import tensors_of


def start_model(problem, x, target):
    work = problem.work
    discrete = work["objective"] == "likelihood"
    model = BLDeep(hidden_dims=work["widths"], task="discrete" if discrete else "continuous")
    model.build(x, target)
    with torch.no_grad():
        for layer, block in enumerate(model.backbone.blocks):
            for row, (kind, linear) in enumerate(zip("UCT", (block.unit.lin_u, block.unit.lin_c, block.unit.lin_t))):
                prefix = f"layers/{layer}/{kind}/"
                linear.weight.copy_(torch.tensor(problem.tensor(prefix + "weight")))
                linear.bias.copy_(torch.tensor(problem.tensor(prefix + "bias").flatten()))
                block.unit.lam[row].copy_(torch.tensor(problem.tensor(prefix + "lambda").flatten()))
        model.head.weight.copy_(torch.tensor(problem.tensor("readout/weight")))
        model.head.bias.copy_(torch.tensor(problem.tensor("readout/bias").flatten()))
    return model


def full_loss(model, problem, x, target):
    work = problem.work
    if work["objective"] == "likelihood":
        with torch.no_grad():
            return float(torch.nn.functional.cross_entropy(model.logits(x), target))
    noise, sigma = torch.tensor(problem.fixed_noise), work["sigma"]
    moved = (target + sigma * noise).requires_grad_(True)
    gradient = torch.autograd.grad(model.score(x, moved).sum(), moved)[0]
    return float(0.5 * (gradient + noise / sigma).pow(2).sum(dim=1).mean())


class PublishedRun:
    """Its loader shuffles and draws noise of its own: the final loss must be ours up to that."""

    def __init__(self, problem):
        if problem.work["form"] != "scalar":
            raise NotImplementedError("the published package has no vector form")
        self.problem = problem
        self.x, self.target = tensors_of(problem)

    def train(self, epochs):
        work = self.problem.work
        model = start_model(self.problem, self.x, self.target)
        optimizer = OptimConfig(optim="adam", lr=work["learning_rate"])
        config = TrainConfig(max_epochs=epochs, batch_size=work["batch"], early_stop=False, device="cpu",
                             seed=1)
        if work["objective"] == "likelihood":
            trainer = DiscreteTrainer(model, optimizer, config)
        else:
            trainer = ContinuousTrainer(model, optimizer, config, dsm_sigma=work["sigma"])
        trainer.fit(self.x, self.target)
        return lambda: full_loss(model, self.problem, self.x, self.target)
