"""What can go wrong with the stored history in a way that a person has to hear about."""


class HistoryError(Exception):
    """The history cannot be used. `user_message` is a sentence with a remedy; `str()` is the detail for the log."""

    user_message = "The stored chats can't be opened."


class NewerSchema(HistoryError):
    """The database was written by a later version of the app."""

    user_message = (
        "The stored chats were written by a newer Thinkglass. "
        "Update Thinkglass, or set DATABASE_URL to another database."
    )


class Unreachable(HistoryError):
    """The database does not answer, does not let us in, or may not be written."""

    user_message = (
        "The database of the stored chats can't be opened. "
        "Check that it runs, that DATABASE_URL is right, and that THINKGLASS_DATA may be written."
    )


class UntrustedDatabase(HistoryError):
    """Who the database is can't be made sure of: its certificate, or one of the files that we were told of, is bad."""

    user_message = (
        "The database of the stored chats can't be trusted: no authority that we know vouches for its certificate. "
        "Check sslmode, sslrootcert, sslcert and sslkey in DATABASE_URL."
    )


class UnknownDatabase(HistoryError):
    """The address of the database is none that we can use."""

    user_message = (
        "DATABASE_URL must start with sqlite:/// or postgresql://, "
        "such as postgresql://user:password@localhost/thinkglass."
    )


class BrokenExport(HistoryError):
    """The file to import is no export of ours, or is damaged."""

    user_message = "This file is not an export of Thinkglass, or it is damaged."


class FilesUnavailable(HistoryError, OSError):
    """The bucket for the files of chats does not answer."""

    user_message = (
        "The bucket for the files of chats can't be reached. "
        "Check that the S3 server runs, and that FILES_S3_ENDPOINT and FILES_S3_REGION are right."
    )


class FilesForbidden(FilesUnavailable):
    """The server of the bucket does not know us, or refuses."""

    user_message = (
        "The bucket for the files of chats does not let us in. "
        "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or the profile or role), "
        "and that they may list, read, write and delete in FILES_S3_BUCKET."
    )


class NoCredentials(FilesUnavailable):
    """There is nothing to sign requests with."""

    user_message = (
        "There are no credentials for the bucket for the files of chats. "
        "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this computer a profile or a role."
    )


class NoBucket(FilesUnavailable):
    """There is no such bucket, or it is elsewhere."""

    user_message = (
        "There is no bucket for the files of chats. "
        "Create it, or check FILES_S3_BUCKET, FILES_S3_REGION and FILES_S3_ENDPOINT."
    )


class NoS3Client(HistoryError):
    """What talks to S3 is not installed."""

    user_message = (
        "FILES_S3_BUCKET needs boto3, which is not installed. Install it: pip install boto3 -c constraints.txt"
    )
