"""What looks like a secret is not told to a model."""

import pytest

from toolcrib.loop.redaction import redact

SECRETS = [
    ("postgres://app:hunter2@db.internal:5432/x failed", "hunter2"),
    ("redis://:p4ssw0rd@cache/0", "p4ssw0rd"),
    ("amqp://u:pa%2Fss@host failed", "pa%2Fss"),
    ("GET https://api.example.com/v1?api_key=abc123def&x=1", "abc123def"),
    ("Authorization: Bearer abcdef1234567890", "abcdef1234567890"),
    ("headers={'Authorization': 'Basic dXNlcjpwYXNz'}", "dXNlcjpwYXNz"),
    ("Incorrect API key provided: sk-proj-abcDEF0123456789xyz", "sk-proj-abcDEF0123456789xyz"),
    ("bad token ghp_0123456789abcdefghijABCDEFGHIJ", "ghp_0123456789abcdefghijABCDEFGHIJ"),
    ("key AKIAIOSFODNN7EXAMPLE refused", "AKIAIOSFODNN7EXAMPLE"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI"),
    ('{"client_secret": "s3cr3t-value"}', "s3cr3t-value"),
    ('{"password": "correct horse battery"}', "horse"),
    ("PASSWORD='hunter, two' failed", "two"),
    (r'{"token": "a\"b c"}', "b c"),
    ("secret = 'never closed", "closed"),
    ("postgres://app:pa/ss@db.internal/x", "pa/ss"),
    ("SG.abcdefghijklmnop.qrstuvwxyz0123456789", "qrstuvwxyz0123456789"),
    ("password=hunter2; host=x", "hunter2"),
    ("PASSWORD: hunter2", "hunter2"),
    ("DB_PASSWORD=hunter2", "hunter2"),
    ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_ghi rejected", "eyJzdWIiOiIxIn0"),
    ("xoxb-123456789012-abcdefghij", "xoxb-123456789012-abcdefghij"),
    ("cannot read /home/alice/.ssh/id_rsa", "alice"),
    ("cannot read /Users/alice/Library", "alice"),
    ("cannot read C:\\Users\\alice\\secret.txt", "alice"),
    ("cannot read /root/.aws/credentials", "/root"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "MIIEow"),
    ("-----BEGIN PRIVATE KEY-----\nMIIEow", "MIIEow"),
]


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_a_secret_is_taken_out(text: str, secret: str) -> None:
    told = redact(text)
    assert secret not in told
    assert "[redacted]" in told or "[user]" in told


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: days must be at most 14",
        "KeyError: 'city'",
        "no such table: weather",
        "https://api.example.com/v1/cities?name=Oslo answered 404",
        "the token count is 42",
        "cannot open /var/lib/app/data.db",
        "/homes/12 is not a listing",
        "http://localhost:8080/users/bob@example.com answered 404",
    ],
)
def test_an_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == text


def test_what_is_around_a_secret_stays_readable() -> None:
    assert redact("connect postgres://app:pw@db:5432/x: refused") == (
        "connect postgres://app:[redacted]@db:5432/x: refused"
    )


def test_redacting_twice_changes_nothing_more() -> None:
    for text, _ in SECRETS:
        assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize(
    "piece", ["a.", "sk-", "eyJaaaaaaaaa.", "a://b:", "password ", "x@", "-----BEGIN ", "token: '"]
)
def test_no_text_is_slow_to_redact(piece: str) -> None:
    # Quadratic rules need minutes for these; the suite's patience is the bound.
    redact(piece * 100_000)
