"""Models of the paper's standard prediction and the spaces they are tuned over (appendix, tables of tuning spaces).

A model is `space(trial)`, which gives a dictionary of hyper-parameters, and `fitted(parameters, seed, train, validation)`,
which gives a function from rows to class probabilities. Rows are `Rows`: features encoded as the paper does (ordinal and nominal as
codes and indicators, numbers standardised by training rows), the frame they come from, and the class as codes.
"""
import contextlib
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass
class Rows:
    frame: pd.DataFrame
    x: np.ndarray
    y: np.ndarray
    classes: int


def all_classes(model, x, classes):
    """Probabilities of all classes, of which the training rows may lack some."""
    out = np.zeros((len(x), classes))
    out[:, model.classes_.astype(int)] = model.predict_proba(x)
    return out


def of_scikit_learn(make):
    def fitted(parameters, seed, train, validation):
        model = make(parameters, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(train.x, train.y)
        return lambda rows: all_classes(model, rows.x, rows.classes)
    return fitted


# --- ours

def of_bl(settings):
    def fitted(parameters, seed, train, validation):
        from behavior_learning import BLClassifier
        model = BLClassifier(seed=seed, unseen="missing", threads=1, **settings(parameters))
        model.fit(train.frame, train.y, validation=(validation.frame, validation.y))
        def predict(rows):
            out = np.zeros((len(rows.y), rows.classes))
            out[:, model.classes_] = model.predict_proba(rows.frame)
            return out
        return predict
    return fitted


def single_space(trial):
    return {"optimizer": trial.suggest_categorical("optimizer", ["adam", "adamw"]),
            "learning_rate": trial.suggest_categorical("learning_rate", [1e-3, 1e-1]),
            "batch_size": trial.suggest_categorical("batch_size", [64, 128, 256, 512]),
            "clip_norm": trial.suggest_categorical("clip_norm", [1.0, 2.0, 5.0])}


def single_settings(p):
    return {"single": True, "degree_u": "2", "degree_c": "2,2,2", "degree_t": "2,2", "outliers": "plain", **p}


def shallow_space(trial):
    layers = trial.suggest_int("n_layers", 1, 3)
    widths = [trial.suggest_categorical("n_first", [24, 30, 36, 40])]
    if layers == 3:
        widths.append(trial.suggest_categorical("n_middle", [8, 6, 4]))
    if layers > 1:
        widths.append(trial.suggest_categorical("n_last", [2, 4, 6]))
    return {"layers": ",".join(map(str, widths)),
            "optimizer": trial.suggest_categorical("optimizer", ["adam", "adamw"]),
            "learning_rate": trial.suggest_float("learning_rate", 5e-5, 5e-3, log=True),
            "batch_size": trial.suggest_categorical("batch_size", [64, 128, 256, 512]),
            "weight_decay": trial.suggest_float("weight_decay", 1e-4, 1e-1, log=True)}


def shallow_settings(p):
    return {"clip_norm": 1.0, "patience": 20, "curves": "none", "outliers": "plain", **p}


# --- neural networks in PyTorch

def on_device(values):
    """As a tensor, on a GPU where there is one; numbers with single precision."""
    import torch
    tensor = torch.tensor(values)
    return (tensor.float() if tensor.is_floating_point() else tensor).to("cuda" if torch.cuda.is_available() else "cpu")


def torch_fit(network, p, seed, train, validation, patience, epochs=200):
    """Cross-entropy, early stopping by the validation loss; the better of its epochs."""
    import copy

    import torch
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    x, y, vx, vy = map(on_device, (train.x, train.y, validation.x, validation.y))
    model = network(train.x.shape[1], train.classes).to(x.device)
    rule = torch.optim.AdamW if p["optimizer"] == "adamw" else torch.optim.Adam
    optimizer = rule(model.parameters(), lr=p["learning_rate"], weight_decay=p.get("weight_decay", 0))
    loss = torch.nn.functional.cross_entropy
    best, kept, stale = np.inf, None, 0
    for _ in range(epochs):
        model.train()
        for batch in torch.randperm(len(y), device=y.device).split(p["batch_size"]):
            optimizer.zero_grad()
            loss(model(x[batch]), y[batch]).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            value = float(loss(model(vx), vy))
        if value < best:
            best, kept, stale = value, copy.deepcopy(model.state_dict()), 0
        else:
            stale += 1
        if stale >= patience or not np.isfinite(value):
            break
    if kept is not None:
        model.load_state_dict(kept)
    def predict(rows):
        with torch.no_grad():
            return torch.cat([model(one) for one in on_device(rows.x).split(4096)]).softmax(1).double().cpu().numpy()
    return predict


def mlp_space(trial):
    return {"optimizer": trial.suggest_categorical("optimizer", ["adam", "adamw"]),
            "learning_rate": trial.suggest_float("learning_rate", 1e-5, 1e-1, log=True),
            "batch_size": trial.suggest_categorical("batch_size", [32, 64, 128, 256]),
            "n_layers": trial.suggest_int("n_layers", 2, 4), "hidden_size": trial.suggest_int("hidden_size", 32, 256),
            "weight_decay": trial.suggest_float("weight_decay", 1e-6, 1e-2, log=True)}


def mlp_fitted(p, seed, train, validation):
    import torch
    def network(inputs, classes):
        layers, last = [], inputs
        for _ in range(p["n_layers"]):
            layers += [torch.nn.Linear(last, p["hidden_size"]), torch.nn.ReLU()]
            last = p["hidden_size"]
        return torch.nn.Sequential(*layers, torch.nn.Linear(last, classes))
    return torch_fit(network, p, seed, train, validation, patience=20)


def nam_space(trial):
    return {"optimizer": trial.suggest_categorical("optimizer", ["adam", "adamw"]),
            "learning_rate": trial.suggest_float("learning_rate", 1e-3, 1e-1, log=True),
            "batch_size": trial.suggest_categorical("batch_size", [128, 256, 512, 1024]),
            "patience": trial.suggest_int("patience", 10, 30)}


def nam_fitted(p, seed, train, validation):
    """A neural additive model: for every column a network of 64, 64 and 32 units, and their sum."""
    import torch

    class Additive(torch.nn.Module):
        def __init__(self, inputs, classes):
            super().__init__()
            sizes = [1, 64, 64, 32, classes]
            self.weights = torch.nn.ParameterList(
                [torch.nn.Parameter(torch.randn(inputs, a, b) * (2 / a) ** 0.5) for a, b in zip(sizes, sizes[1:])])
            self.biases = torch.nn.ParameterList([torch.nn.Parameter(torch.zeros(inputs, 1, b)) for b in sizes[1:]])

        def forward(self, x):
            h = x.t().unsqueeze(-1)  # columns x rows x 1
            for i, (weight, bias) in enumerate(zip(self.weights, self.biases)):
                h = torch.baddbmm(bias, h, weight)
                h = torch.relu(h) if i + 1 < len(self.weights) else h
            return h.sum(dim=0)

    return torch_fit(Additive, p, seed, train, validation, patience=p["patience"])


def tabnet_space(trial):
    size = trial.suggest_int("n_d", 16, 64)
    return {"learning_rate": trial.suggest_float("learning_rate", 1e-4, 3e-2, log=True),
            "batch_size": trial.suggest_categorical("batch_size", [128, 256, 512, 1024]),
            "virtual_batch_size": trial.suggest_categorical("virtual_batch_size", [64, 128]), "size": size,
            "n_steps": trial.suggest_int("n_steps", 3, 7), "gamma": trial.suggest_float("gamma", 1.2, 1.7),
            "lambda_sparse": trial.suggest_float("lambda_sparse", 1e-6, 1e-3, log=True)}


def tabnet_fitted(p, seed, train, validation):
    from pytorch_tabnet.tab_model import TabNetClassifier
    model = TabNetClassifier(n_d=p["size"], n_a=p["size"], n_steps=p["n_steps"], gamma=p["gamma"],
                             lambda_sparse=p["lambda_sparse"], seed=seed, verbose=0,
                             optimizer_params={"lr": p["learning_rate"]})
    with warnings.catch_warnings(), contextlib.redirect_stdout(None):  # it prints where it stops
        warnings.simplefilter("ignore")
        model.fit(train.x.astype(np.float32), train.y, eval_set=[(validation.x.astype(np.float32), validation.y)],
                  batch_size=p["batch_size"], virtual_batch_size=p["virtual_batch_size"], patience=20)
    return lambda rows: all_classes(model, rows.x.astype(np.float32), rows.classes)


def svgp_space(trial):
    return {"kernel": trial.suggest_categorical("kernel", ["rbf", "matern", "rational_quadratic"]),
            "lengthscale": trial.suggest_float("lengthscale", 0.1, 10.0, log=True),
            "rq_alpha": trial.suggest_float("rq_alpha", 0.1, 5.0, log=True),
            "num_inducing": trial.suggest_int("num_inducing", 100, 500),
            "learning_rate": trial.suggest_float("learning_rate", 1e-2, 5e-1, log=True),
            "training_iters": trial.suggest_int("training_iters", 50, 200)}


def svgp_fitted(p, seed, train, validation):
    """A Gaussian process for each class on shared inducing points, joined by a softmax, learned on batches of 1,024."""
    import gpytorch
    import torch
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    x, y = on_device(train.x), on_device(train.y)
    classes = torch.Size([train.classes])
    kernels = {"rbf": gpytorch.kernels.RBFKernel, "matern": gpytorch.kernels.MaternKernel,
               "rational_quadratic": gpytorch.kernels.RQKernel}

    class Process(gpytorch.models.ApproximateGP):
        def __init__(self, points):
            inner = gpytorch.variational.CholeskyVariationalDistribution(len(points), batch_shape=classes)
            strategy = gpytorch.variational.IndependentMultitaskVariationalStrategy(
                gpytorch.variational.VariationalStrategy(self, points, inner), num_tasks=train.classes)
            super().__init__(strategy)
            self.mean_module = gpytorch.means.ConstantMean(batch_shape=classes)
            kernel = kernels[p["kernel"]](batch_shape=classes)
            kernel.lengthscale = p["lengthscale"]
            if p["kernel"] == "rational_quadratic":
                kernel.alpha = p["rq_alpha"]
            self.covar_module = gpytorch.kernels.ScaleKernel(kernel, batch_shape=classes)

        def forward(self, at):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(at), self.covar_module(at))

    points = x[torch.randperm(len(x), device=x.device)[:min(p["num_inducing"], len(x))]].clone()
    process = Process(points).to(x.device)
    likelihood = gpytorch.likelihoods.SoftmaxLikelihood(num_classes=train.classes, mixing_weights=False).to(x.device)
    bound = gpytorch.mlls.VariationalELBO(likelihood, process, num_data=len(y))
    optimizer = torch.optim.Adam([*process.parameters(), *likelihood.parameters()], lr=p["learning_rate"])
    for _ in range(p["training_iters"]):
        batch = torch.randint(len(y), (min(1024, len(y)),), device=y.device)
        optimizer.zero_grad()
        (-bound(process(x[batch]), y[batch])).backward()
        optimizer.step()
    def predict(rows):
        parts = on_device(rows.x).split(2048)
        with torch.no_grad(), gpytorch.settings.num_likelihood_samples(64):
            return torch.cat([likelihood(process(one)).probs.mean(0) for one in parts]).double().cpu().numpy()
    return predict


# --- scikit-learn and LightGBM

def elastic_net_space(trial):
    return {"alpha": trial.suggest_float("alpha", 1e-4, 1e2, log=True),
            "l1_ratio": trial.suggest_float("l1_ratio", 0.0, 1.0), "max_iter": trial.suggest_int("max_iter", 100, 2000),
            "tol": trial.suggest_float("tol", 1e-6, 1e-2, log=True),
            "fit_intercept": trial.suggest_categorical("fit_intercept", [True, False]),
            "learning_rate": trial.suggest_categorical("learning_rate", ["optimal", "constant", "invscaling", "adaptive"]),
            "eta0": trial.suggest_float("eta0", 1e-4, 1e-1, log=True),
            "validation_fraction": trial.suggest_float("validation_fraction", 0.05, 0.3),
            "n_iter_no_change": trial.suggest_int("n_iter_no_change", 3, 20)}


def elastic_net(p, seed):
    from sklearn.linear_model import SGDClassifier
    return SGDClassifier(loss="log_loss", penalty="elasticnet", random_state=seed, **p)


def logistic_space(trial):
    return {"solver": trial.suggest_categorical("solver", ["lbfgs", "sag", "liblinear"]),
            "C": trial.suggest_float("C", 1e-4, 1e2, log=True), "max_iter": trial.suggest_int("max_iter", 100, 2000),
            "tol": trial.suggest_float("tol", 1e-6, 1e-2, log=True),
            "fit_intercept": trial.suggest_categorical("fit_intercept", [True, False]),
            "intercept_scaling": trial.suggest_float("intercept_scaling", 0.1, 10.0)}


def logistic_model(p, seed):
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    model = LogisticRegression(random_state=seed, **p)
    return OneVsRestClassifier(model) if p["solver"] == "liblinear" else model


def polynomial_space(trial):
    return {"degree": trial.suggest_categorical("degree", [2, 3]), "C": trial.suggest_float("C", 1e-3, 1e2, log=True),
            "max_iter": trial.suggest_int("max_iter", 500, 2000),
            "tol": trial.suggest_float("tol", 1e-5, 1e-3, log=True)}


def polynomial_model(p, seed):
    """Products of up to `degree` columns; of many columns degree 2, and the 2,000 products that tell most."""
    from sklearn.feature_selection import SelectKBest
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler

    def products(x):
        degree = p["degree"] if x.shape[1] <= 20 else 2
        return PolynomialFeatures(degree, include_bias=False).fit_transform(x)

    class Best(SelectKBest):
        def fit(self, x, y):
            self.k = min(2000, x.shape[1])
            return super().fit(x, y)

    return make_pipeline(FunctionTransformer(products), StandardScaler(), Best(),
                         LogisticRegression(C=p["C"], max_iter=p["max_iter"], tol=p["tol"], random_state=seed))


def tree_space(trial):
    return {"criterion": trial.suggest_categorical("criterion", ["gini", "entropy", "log_loss"]),
            "max_depth": trial.suggest_int("max_depth", 3, 20),
            "min_samples_split": trial.suggest_int("min_samples_split", 2, 20),
            "min_samples_leaf": trial.suggest_int("min_samples_leaf", 1, 10),
            "min_weight_fraction_leaf": trial.suggest_float("min_weight_fraction_leaf", 0.0, 0.5),
            "max_features": trial.suggest_categorical("max_features", ["sqrt", "log2"]),
            "max_leaf_nodes": trial.suggest_int("max_leaf_nodes", 10, 1000),
            "min_impurity_decrease": trial.suggest_float("min_impurity_decrease", 0.0, 0.1),
            "ccp_alpha": trial.suggest_float("ccp_alpha", 0.0, 0.1)}


def tree_model(p, seed):
    from sklearn.tree import DecisionTreeClassifier
    return DecisionTreeClassifier(random_state=seed, **p)


def forest_space(trial):
    return {"n_estimators": trial.suggest_int("n_estimators", 100, 500), "max_depth": trial.suggest_int("max_depth", 3, 30),
            "max_features": trial.suggest_categorical("max_features", ["sqrt", "log2"]),
            "min_samples_leaf": trial.suggest_int("min_samples_leaf", 1, 10),
            "min_samples_split": trial.suggest_int("min_samples_split", 2, 20)}


def forest_model(p, seed):
    from sklearn.ensemble import RandomForestClassifier
    return RandomForestClassifier(random_state=seed, **p)


def lightgbm_space(trial):
    """The paper prints none for LightGBM; this is the usual one."""
    return {"n_estimators": trial.suggest_int("n_estimators", 50, 500),
            "learning_rate": trial.suggest_float("learning_rate", 1e-2, 0.3, log=True),
            "num_leaves": trial.suggest_int("num_leaves", 7, 127),
            "min_child_samples": trial.suggest_int("min_child_samples", 5, 50),
            "reg_lambda": trial.suggest_float("reg_lambda", 1e-3, 10.0, log=True)}


def lightgbm_model(p, seed):
    from lightgbm import LGBMClassifier
    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1, **p)


# name: (space, fitted, packages beside scikit-learn). The last ones are ours.
MODELS = {
    "decision tree": (tree_space, of_scikit_learn(tree_model), []),
    "logistic": (logistic_space, of_scikit_learn(logistic_model), []),
    "polynomial logistic": (polynomial_space, of_scikit_learn(polynomial_model), []),
    "elastic net": (elastic_net_space, of_scikit_learn(elastic_net), []),
    "random forest": (forest_space, of_scikit_learn(forest_model), []),
    "lightgbm": (lightgbm_space, of_scikit_learn(lightgbm_model), ["lightgbm"]),
    "mlp": (mlp_space, mlp_fitted, ["torch"]),
    "nam": (nam_space, nam_fitted, ["torch"]),
    "tabnet": (tabnet_space, tabnet_fitted, ["pytorch_tabnet"]),
    "svgp": (svgp_space, svgp_fitted, ["gpytorch"]),
    "bl single": (single_space, of_bl(single_settings), ["behavior_learning"]),
    "bl shallow": (shallow_space, of_bl(shallow_settings), ["behavior_learning"]),
    "bl default": (None, of_bl(lambda p: p), ["behavior_learning"]),
}
