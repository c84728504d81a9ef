# module: sglang.srt.managers.scheduler
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs
from sglang.srt.speculative.spec_info import SpeculativeAlgorithm


class Scheduler:
    def __init__(self, server_args: ServerArgs, gpu_id: int):
        self.spec_algorithm = SpeculativeAlgorithm.from_string(server_args.speculative_algorithm)
        self.tp_worker = TpModelWorker(server_args, gpu_id)
        if self.spec_algorithm.is_none():
            self.draft_worker = None
        else:
            worker_class = self.spec_algorithm.create_worker(server_args)
            self.draft_worker = worker_class(server_args=server_args, gpu_id=gpu_id, target_worker=self.tp_worker)

    def step(self, batch, proxy):
        if self.spec_algorithm.is_ngram():
            return self.draft_worker.run_batch(batch, proxy=proxy)
        return None
