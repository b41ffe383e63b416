-- events.sql - what happened: events, their sessions, the checkpoints of running tasks.

-- name: EVENT_GET
SELECT tenant, owner, id, agent_id, session_id, place, role, speaker, text, event_time_ms,
       recallable, attributes, NULL, NULL
FROM events WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: ID_IS_EVENT
SELECT 1 FROM events WHERE tenant = :tenant AND id = :id
UNION ALL
SELECT 1 FROM archived_ids WHERE tenant = :tenant AND id = :id;

-- name: EVENT_INSERT
INSERT INTO events VALUES
    (:tenant, :owner, :id, :agent_id, :session_id, :place, :role, :speaker, :text, :event_time_ms,
     :recallable, :attributes, :created_at_ms, :embed_hash);

-- Turns that no memory names any more but such as are forgotten or revoked; and back.

-- name: TURNS_WITHHOLD
UPDATE events SET recallable = 2
WHERE tenant = :tenant AND owner = :owner AND recallable = 1
  AND id IN (SELECT value FROM json_each(:turns))
  AND (:ordered OR id NOT IN (SELECT p.value FROM memories m, json_each(m.provenance) p
                              WHERE m.tenant = :tenant AND m.owner = :owner
                                AND m.status NOT IN (4, 5) AND m.authority <> 6
                                AND m.provenance <> '[]'))
RETURNING id;

-- name: TURNS_GIVE_BACK
UPDATE events SET recallable = 1
WHERE tenant = :tenant AND owner = :owner AND recallable = 2
  AND id IN (SELECT value FROM json_each(:turns))
  AND id NOT IN (SELECT p.value FROM memories m, json_each(m.provenance) p
                 WHERE m.tenant = :tenant AND m.owner = :owner AND m.category = :order
                   AND (m.status IN (4, 5) OR m.authority = 6))
RETURNING id;

-- name: SESSION_LAST_PLACE
SELECT last_place FROM sessions
WHERE tenant = :tenant AND owner = :owner AND session_id = :session_id;

-- name: SESSION_TOUCH
INSERT INTO sessions VALUES
    (:tenant, :owner, :session_id, :agent_id, :event_time_ms, :event_time_ms, :place, 1, :now_ms,
     0, -1, -1, 0, :task_id)
ON CONFLICT (tenant, owner, session_id) DO UPDATE SET
    first_event_ms = min(first_event_ms, excluded.first_event_ms),
    last_event_ms = max(last_event_ms, excluded.last_event_ms),
    last_place = max(last_place, excluded.last_place), event_count = event_count + 1,
    recorded_at_ms = max(recorded_at_ms, excluded.recorded_at_ms), ended = 0,
    task_id = CASE WHEN excluded.task_id = '' THEN task_id ELSE excluded.task_id END;

-- name: SESSION_EVENTS
SELECT tenant, owner, id, agent_id, session_id, place, role, speaker, text, event_time_ms,
       recallable, attributes, NULL, NULL
FROM events
WHERE tenant = :tenant AND owner = :owner AND session_id = :session_id
  AND (place, id) > (:place, :id)
ORDER BY place, id LIMIT :limit;

-- name: TASK_STATE_GET
SELECT state, updated_at_ms, revision FROM task_states
WHERE tenant = :tenant AND owner = :owner AND session_id = :session_id AND task_id = :task_id;

-- name: TASK_STATE_PUT
INSERT INTO task_states VALUES
    (:tenant, :owner, :session_id, :task_id, :state, :updated_at_ms, :revision)
ON CONFLICT (tenant, owner, session_id, task_id) DO UPDATE SET
    state = excluded.state, updated_at_ms = excluded.updated_at_ms, revision = excluded.revision;

-- What is pending by the word of a turn that is withheld is not told.

-- name: TASK_STATES_OF_TASK
SELECT tenant, owner, session_id, task_id,
       CASE WHEN instr(state, '"pending_from"') > 0 AND json_valid(state) AND EXISTS (
                SELECT 1 FROM json_each(state, '$.pending_from') p
                WHERE EXISTS (SELECT 1 FROM events e WHERE e.tenant = :tenant AND e.owner = :user
                                                       AND e.id = p.value AND e.recallable = 2)
                   OR EXISTS (SELECT 1 FROM archived_events a
                              WHERE a.tenant = :tenant AND a.owner = :user AND a.id = p.value
                                AND a.withheld = 1))
            THEN json_remove(state, '$.pending_action', '$.pending_from') ELSE state END,
       updated_at_ms
FROM task_states
WHERE tenant = :tenant AND owner = :user AND task_id = :task
ORDER BY session_id IS NOT :session, updated_at_ms DESC, session_id
LIMIT 32;
