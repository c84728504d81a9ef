# module: sglang.srt.speculative.ngram_worker
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs


class NGRAMWorker:
    """Counts the layers of the target's body."""

    def __init__(self, server_args: ServerArgs, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker
        self.layers = len(target_worker.model_runner.model.model.layers)
