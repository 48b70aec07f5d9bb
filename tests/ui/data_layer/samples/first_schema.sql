INSERT INTO users ("id", "identifier", "createdAt", "metadata") VALUES ('u1', 'alice', '2026-11-01T00:00:00Z', '{}');
INSERT INTO threads ("id", "userId", "activity", "createdAt", "name") VALUES ('t1', 'u1', 12, '2026-11-01T00:00:00Z', 'Old');
INSERT INTO steps ("id", "threadId", "position", "revision", "indexed", "favorite", "type", "output") VALUES ('s1', 't1', 11, 11, false, false, 'user_message', 'Is it old?');
INSERT INTO steps ("id", "threadId", "position", "revision", "indexed", "favorite", "type", "output") VALUES ('s2', 't1', 12, 12, false, false, 'assistant_message', 'Yes, 很旧.')
