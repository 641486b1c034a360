"""Hyper-parameters by Optuna, which is asked for only here."""

from __future__ import annotations

import time
from typing import Any, Callable, Mapping

import joblib
import numpy as np
from sklearn.base import clone

# The spaces of the paper's experiments on tables: for each, what a trial suggests.
SPACES: dict[str, Callable[[Any], dict[str, Any]]] = {}


def _space(function: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
    SPACES[function.__name__.strip("_")] = function
    return function


@_space
def _single(trial: Any) -> dict[str, Any]:
    """One block: three inequality and two equality heads, all quadratic."""
    return {
        "single": True,
        "degree_u": "2",
        "degree_c": "2,2,2",
        "degree_t": "2,2",
        "learning_rate": trial.suggest_categorical("learning_rate", [1e-3, 1e-1]),
        "batch_size": trial.suggest_categorical("batch_size", [64, 128, 256, 512]),
        "clip_norm": trial.suggest_categorical("clip_norm", [1, 2, 5]),
    }


@_space
def _shallow(trial: Any) -> dict[str, Any]:
    """One to three layers."""
    depth = trial.suggest_int("depth", 1, 3)
    layers = [trial.suggest_categorical("first", [24, 30, 36, 40])]
    if depth == 3:
        layers.append(trial.suggest_categorical("middle", [8, 6, 4]))
    if depth >= 2:
        layers.append(trial.suggest_categorical("last", [2, 4, 6]))
    return {
        "layers": ",".join(map(str, layers)),
        "learning_rate": trial.suggest_float("learning_rate", 5e-5, 5e-3, log=True),
        "batch_size": trial.suggest_categorical("batch_size", [64, 128, 256, 512]),
        "weight_decay": trial.suggest_float("weight_decay", 1e-4, 1e-1, log=True),
        "optimizer": trial.suggest_categorical("optimizer", ["adam", "adamw"]),
        "clip_norm": 1,
        "patience": 20,
    }


def tune(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    space: str | Mapping[str, Any] | Callable[[Any], dict[str, Any]] = "shallow",
    trials: int | None = None,
    seconds: float | None = None,
    jobs: int = 1,
    seed: int | None = None,
    sampler: Any = None,
    pruner: Any = None,
    fit_params: Mapping[str, Any] | None = None,
    progress: bool = False,
) -> Any:
    """A clone of the estimator with the best parameters found, fitted.

    A trial's loss is that of the validation rows of its fit, after every epoch reported to the pruner. The search
    is Optuna's TPE; its study is the result's `study_`.

    space: "shallow" or "single", the paper's; {parameter: list of values}; or a function from a trial of Optuna's to
    parameters. trials, seconds: when to end; one of them is needed. jobs: trials at once, each with
    one thread. Within joblib.parallel_config(backend=...) trials go to that backend (Dask, Ray), as many at once as it has
    workers, or jobs; they are then not pruned. seed: of the search. fit_params: for fit, as {"sample_weight": ...}.
    """
    try:
        import optuna
    except ImportError as error:
        raise ImportError("tune needs optuna: pip install 'behavior-learning[tune]'") from error
    if trials is None and seconds is None:
        raise ValueError("say when to end: give trials or seconds")
    suggest = _suggestion(space)
    arguments = dict(fit_params or {})

    def objective(trial: Any) -> float:
        parameters = suggest(trial)
        if jobs != 1:
            parameters["threads"] = 1
        candidate = clone(estimator).set_params(**parameters)
        watch = _Pruning(trial)
        candidate.fit(X, y, **arguments, progress=watch)
        if watch.pruned:
            raise optuna.TrialPruned
        if candidate.interrupted_:
            trial.study.stop()
        trial.set_user_attr("parameters", parameters)
        return _validated_loss(candidate)

    if not progress:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=sampler or optuna.samplers.TPESampler(seed=seed), pruner=pruner)
    if _spread():
        _search_by_joblib(study, suggest, lambda parameters: (estimator, parameters, X, y, arguments), trials, seconds, jobs)
    else:
        study.optimize(objective, n_trials=trials, timeout=seconds, n_jobs=jobs)
    best = dict(study.best_trial.user_attrs["parameters"])
    best.pop("threads", None)
    result = clone(estimator).set_params(**best).fit(X, y, **arguments)
    result.study_ = study
    return result


def _spread() -> bool:
    """Whether joblib.parallel_config names another backend than joblib's own processes."""
    return type(joblib.parallel.get_active_backend()[0]).__name__ != "LokyBackend"


def _search_by_joblib(
    study: Any, suggest: Any, task: Any, trials: int | None, seconds: float | None, jobs: int
) -> None:
    """Rounds of trials side by side on joblib's backend."""
    begin, done = time.monotonic(), 0
    at_once = joblib.effective_n_jobs(jobs if jobs != 1 else -1)
    while (trials is None or done < trials) and (seconds is None or time.monotonic() - begin < seconds):
        count = at_once if trials is None else min(at_once, trials - done)
        asked = [study.ask() for _ in range(count)]
        parameters = [suggest(trial) | {"threads": 1} for trial in asked]
        losses = joblib.Parallel(n_jobs=at_once)(joblib.delayed(_trial_loss)(*task(one)) for one in parameters)
        for trial, chosen, loss in zip(asked, parameters, losses):
            trial.set_user_attr("parameters", chosen)
            study.tell(trial, loss)
        done += count


def _trial_loss(estimator: Any, parameters: dict[str, Any], X: Any, y: Any, arguments: dict[str, Any]) -> float:
    candidate = clone(estimator).set_params(**parameters).fit(X, y, **arguments)
    return _validated_loss(candidate)


def _validated_loss(candidate: Any) -> float:
    if not np.isfinite(candidate.history_["validation_loss"]).any():
        raise ValueError("tune compares losses of validation rows; leave some in fractions, or give validation=")
    return _mean_of_best(candidate.history_)


class _Pruning:
    """Reports the first member's validation loss; true ends the training of a trial without prospects."""

    def __init__(self, trial: Any) -> None:
        self.trial = trial
        self.pruned = False

    def __call__(self, at: dict[str, Any]) -> bool:
        if at["member"] == 1 and np.isfinite(at["validation_loss"]):
            self.trial.report(at["validation_loss"], at["epoch"])
            self.pruned = self.trial.should_prune()
        return self.pruned


def _mean_of_best(history: Mapping[str, np.ndarray]) -> float:
    """The lowest validation loss of each member, on average."""
    starts = np.flatnonzero(history["epoch"] == 1)
    return float(np.mean([np.nanmin(one) for one in np.split(history["validation_loss"], starts[1:])]))


def _suggestion(space: Any) -> Callable[[Any], dict[str, Any]]:
    if callable(space):
        return space
    if isinstance(space, str):
        if space not in SPACES:
            raise ValueError(f"space {space!r}: expected one of {', '.join(SPACES)}, a dictionary or a function")
        return SPACES[space]

    return lambda trial: {name: trial.suggest_categorical(name, list(values)) for name, values in space.items()}
