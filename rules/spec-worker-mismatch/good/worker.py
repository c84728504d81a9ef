# module: sglang.srt.speculative.ngram_worker
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs


class NGRAMWorker:
    """Drafts from what was already said."""

    def __init__(self, server_args: ServerArgs, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker
        self.model_runner = target_worker.model_runner

    def run_batch(self, batch, proxy=None):
        return batch
