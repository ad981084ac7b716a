"""Execute notebooks in place, so that running them again changes nothing but their results.

python tools/run_notebooks.py                         those with a cell that has not been run
python tools/run_notebooks.py --all                   every one
python tools/run_notebooks.py notebooks/x.ipynb ...   these

No time stamps are stored, and CALIB_DATA is hidden: the book shows what a reader without the data
files gets. The seconds go to results/notebook_seconds.csv, which the status page prints.
"""

import argparse
import csv
import os
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
SECONDS = ROOT / "results" / "notebook_seconds.csv"
KERNEL = [
    "--log-level=ERROR",  # else each kernel warns that it talks over TCP
    "--InlineBackend.figure_formats=retina",  # two pixels for each of a common screen
]
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def needs_running(path):
    """Whether a code cell of the notebook has not been executed."""
    cells = nbformat.read(path, as_version=4).cells
    return any(c.cell_type == "code" and c.source.strip() and not c.execution_count for c in cells)


def merge_streams(outputs):
    """Join neighbouring pieces of one stream: where they were split depends on timing."""
    merged = []
    for output in outputs:
        last = merged[-1] if merged else {}
        if output.output_type == "stream" and output.name == last.get("name"):
            last["text"] += output.text
        else:
            merged.append(output)
    return merged


def run(path):
    """Execute the notebook, write it back and return the seconds it took."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=KERNEL,
        resources={"metadata": {"path": str(path.parent)}},
    )
    start = time.perf_counter()
    client.execute(env={k: v for k, v in os.environ.items() if k != "CALIB_DATA"})
    seconds = time.perf_counter() - start
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = merge_streams(cell.outputs)
    notebook.metadata = nbformat.from_dict(METADATA)
    nbformat.write(notebook, path)
    return seconds


def record(chapter, seconds):
    """Set the row of the chapter in the table of seconds."""
    table = {}
    if SECONDS.exists():
        with SECONDS.open(newline="") as file:
            table = {row["chapter"]: row["seconds"] for row in csv.DictReader(file)}
    table[chapter] = f"{seconds:.0f}"
    with SECONDS.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["chapter", "seconds"])
        writer.writerows(sorted(table.items()))


def main():
    """Run the notebooks that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: those not run yet")
    parser.add_argument("--all", action="store_true", help="every notebook of the book")
    arguments = parser.parse_args()
    paths = arguments.notebooks or sorted((ROOT / "notebooks").glob("*.ipynb"))
    for path in paths:
        if arguments.notebooks or arguments.all or needs_running(path):
            print(f"running {path.name} ...", end=" ", flush=True)
            seconds = run(path)
            record(path.stem, seconds)
            print(f"{seconds:.0f} s")


if __name__ == "__main__":
    main()
