"""Makes households.csv: 1,000 households that decide how much to spend, in thousands a month.

They solve  max 2 spending  s.t.  spending - 0.6 income + 0.4 children <= 0 (weight 8), and err a little:
p(spending | income, children) is proportional to exp(2 spending - 8 relu(spending - 0.6 income + 0.4 children)).

    python3 examples/households.py > examples/households.csv
"""
import random
from math import exp

random.seed(1)
print("income,children,spending")
for _ in range(1000):
    income, children = random.uniform(2, 8), random.choice([0, 1, 2, 3])
    grid = [0.01 * step for step in range(1001)]
    utility = [2 * y - 8 * max(0, y - 0.6 * income + 0.4 * children) for y in grid]
    best = max(utility)
    spending = random.choices(grid, [exp(u - best) for u in utility])[0]
    print(f"{income:.2f},{children},{spending:.2f}")
