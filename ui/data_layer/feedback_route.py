"""Thumbs up and down, from those only whose chat it is: Chainlit's own route does not ask."""

from typing import Annotated

from chainlit.auth import get_current_user
from chainlit.types import DeleteFeedbackRequest, UpdateFeedbackRequest
from chainlit.user import User
from fastapi import APIRouter, Depends, HTTPException
from starlette.responses import JSONResponse

from ui.data_layer.layer import DataLayer

FEEDBACK_URL = "/feedback"


def feedback_router(layer: DataLayer) -> APIRouter:
    """The routes in place of Chainlit's. 404 for what is not the caller's, whether it exists or not."""
    router = APIRouter()

    @router.put(FEEDBACK_URL, include_in_schema=False)
    async def keep(
        update: UpdateFeedbackRequest, user: Annotated[User | None, Depends(get_current_user)]
    ) -> JSONResponse:
        _demand_owner(user, await layer.owner_of_step(update.feedback.forId))
        return JSONResponse({"success": True, "feedbackId": await layer.upsert_feedback(update.feedback)})

    @router.delete(FEEDBACK_URL, include_in_schema=False)
    async def take_back(
        request: DeleteFeedbackRequest, user: Annotated[User | None, Depends(get_current_user)]
    ) -> JSONResponse:
        _demand_owner(user, await layer.owner_of_feedback(request.feedbackId))
        return JSONResponse({"success": await layer.delete_feedback(request.feedbackId)})

    return router


def _demand_owner(user: User | None, owner: str | None) -> None:
    if user is None or owner != user.identifier:
        raise HTTPException(404, "Not found.")
