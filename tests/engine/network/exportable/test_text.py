"""The stages that read tokens must equal kokoro's modules on each sequence, for any number that pads a row."""

import pytest
import torch

from engine.network.exportable.text import Bert, TextEncoder

TOKENS = torch.tensor([[0, 3, 4, 5, 0], [0, 7, 0, 10**6, -1]], dtype=torch.int32)
COUNTS = torch.tensor([5, 3], dtype=torch.int32)


@pytest.mark.parametrize("batch_index", [0, 1])
def test_bert_is_kokoros(network, batch_index):
    count = int(COUNTS[batch_index])
    ids = TOKENS[batch_index : batch_index + 1, :count].long()
    with torch.no_grad():
        (ours,) = Bert(network)(TOKENS, COUNTS)
        theirs = network.bert_encoder(network.bert(ids, attention_mask=torch.ones_like(ids)))[0].T
    torch.testing.assert_close(ours[batch_index, :, :count], theirs, atol=1e-5, rtol=1e-5)
    assert not ours[batch_index, :, count:].any()


@pytest.mark.parametrize("batch_index", [0, 1])
def test_text_encoder_is_kokoros(network, batch_index):
    count = int(COUNTS[batch_index])
    ids = TOKENS[batch_index : batch_index + 1, :count].long()
    with torch.no_grad():
        (ours,) = TextEncoder(network)(TOKENS, COUNTS)
        theirs = network.text_encoder(ids, torch.tensor([count]), torch.zeros(1, count, dtype=torch.bool))[0]
    torch.testing.assert_close(ours[batch_index, :, :count], theirs, atol=1e-5, rtol=1e-5)
    assert not ours[batch_index, :, count:].any()


def test_position_matters(network):
    same = torch.full((1, 3), 5, dtype=torch.int32)
    with torch.no_grad():
        (features,) = Bert(network)(same, torch.tensor([3], dtype=torch.int32))
    assert not torch.allclose(features[0, :, 0], features[0, :, 1])
