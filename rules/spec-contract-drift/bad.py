# module: sglang.srt.speculative.eagle_worker
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs
from sglang.srt.speculative.spec_info import SpeculativeAlgorithm


class EAGLEWorker(TpModelWorker):
    """Is itself the worker of the draft, and holds the target's."""

    def __init__(self, server_args: ServerArgs, gpu_id: int, target_worker: TpModelWorker):
        self.server_args = server_args
        self.target_worker = target_worker
        self.speculative_algorithm = SpeculativeAlgorithm.from_string(server_args.speculative_algorithm)
        self.hot_token_id = None

        super().__init__(server_args=server_args, gpu_id=gpu_id, is_draft_worker=True)

        self.bias = self.target_worker.model_runner.model.get_head_bias()  # <- spec-contract-drift
        embed, head = self.target_worker.model_runner.model.get_embed_and_head()

        if self.speculative_algorithm.is_eagle3():
            if (
                hasattr(self.draft_model_runner.model, "load_lm_head_from_target")
                and self.draft_model_runner.model.load_lm_head_from_target
            ):
                self.draft_model_runner.model.set_embed_and_head(embed, head)
            else:
                self.draft_model_runner.model.set_embed(embed)

            if self.draft_model_runner.model.hot_token_id is not None:
                self.hot_token_id = self.draft_model_runner.model.hot_token_id.to(embed.device)
        else:
            self.draft_model_runner.model.set_embed_and_head(embed, head)

    @property
    def draft_model_runner(self):
        return self.model_runner
