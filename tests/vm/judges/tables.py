"""tables.py - tables of LBR entries, model by kernel, that docs/COSTS.md has as Markdown"""
import concurrent.futures
import json
import os
import sys

import kernels
from live import TOP
from verify_truth import REPORTED

# AMD's snapshots came with Linux 6.10 (commit a4d18112e5cf).
WITHOUT_SNAPSHOT = {("zen4", "6.1")}


def costs_rows():
    with open(os.path.join(TOP, "docs", "COSTS.md"), encoding="utf-8") as lines:
        return {line.rstrip("\n") for line in lines if line.startswith("| ")}


def measured(measure, model, kernel):
    if (model, kernel) in WITHOUT_SNAPSHOT:
        return None, None
    print(f"{model} on {kernel} ...", file=sys.stderr, flush=True)
    return measure(model, kernel)


def kernels_of(model, newest):
    """Those of docs/COSTS.md's rows: the newest kernel only of the models in @newest."""
    return [kernel for kernel in kernels.ALL if kernel not in kernels.OPTIONAL or model in newest]


def print_rows(models, tables, newest=()):
    """What print_tables() would measure, as JSON: [columns, model and entries, kernel]"""
    json.dump([(columns, f"{model}, {REPORTED[model][0]}", kernel) for columns in tables for model in models
               for kernel in kernels_of(model, newest)], sys.stdout)
    return 0


def print_tables(models, tables, measure, jobs=1, newest=()):
    """Of each of @tables, lists of columns: a row for each model and kernel, the first table's as
    they come; 1 if something is wrong, or if docs/COSTS.md has another row.

    @measure: model, kernel: ({column: entries}, what is wrong or None); boots a guest
    @jobs: guests at once
    @newest: models that have a row of the newest kernel
    """
    status, known = 0, costs_rows()
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        results = {(model, kernel): pool.submit(measured, measure, model, kernel)
                   for model in models for kernel in kernels_of(model, newest)
                   if not kernels.why_missing(kernel)}
        for columns in tables:
            print(f"| CPU, entries | kernel | {' | '.join(columns)} |")
            print("| --- | --- |" + " --- |" * len(columns), flush=True)
            for (model, kernel), result in results.items():
                entries, wrong = result.result()
                if wrong and columns is tables[0]:
                    print(wrong, file=sys.stderr)
                    status = 1
                cells = ["no snapshot" if entries is None else str(entries.get(column, "-"))
                         for column in columns]
                row = f"| {model}, {REPORTED[model][0]} | {kernel} | {' | '.join(cells)} |"
                print(row, flush=True)
                if row not in known:
                    print("docs/COSTS.md has another row", file=sys.stderr)
                    status = 1
            if columns is not tables[-1]:
                print()
    return status


def models_of(arguments, default, usage):
    """The models that the command line names, or @default; ends the program if one is unknown."""
    models = arguments or list(default)
    if not set(models) <= set(REPORTED):
        sys.exit(usage)
    return models
