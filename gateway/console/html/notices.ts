/** Messages shown after an action, by name; the action redirects to a page with `?told=<name>`. */
import type { NoticeBox } from '../../html/parts.tsx'

interface Sentence {
  readonly tone: Parameters<typeof NoticeBox>[0]['tone']
  readonly text: string
}

const good = (text: string): Sentence => ({ tone: 'good', text })

const sentences = {
  'signed-out': good('You are signed out.'),
  'signed-in-over': {
    tone: 'wait',
    text: 'Please sign in again. Your 12 hours have passed, or the key is no longer valid.',
  },
  'session-created': good('The session is running.'),
  'session-logged-in': good('The new session has the logins of the other one.'),
  'session-extended': good('The session was extended.'),
  'session-tagged': good('Tags saved.'),
  'recording-paused': good('The recording is paused: what happens now is not in the video.'),
  'recording-resumed': good('The recording goes on.'),
  'recording-removed': good('The video was deleted.'),
  'links-revoked': good(
    'All links and tokens of this session were revoked, and their connections closed.',
  ),
  'session-ended': good('The session was ended.'),
  'task-started': good('Task started. Its steps appear below.'),
  'task-answered': good('Your answer was sent to the task.'),
  'task-paused': good('The task will pause before its next action.'),
  'task-resumed': good('Task resumed.'),
  'task-cancelled': good('Task cancelled.'),
  'host-draining': good(
    'The host is draining: it takes no new sessions. Its running sessions continue.',
  ),
  'host-undrained': good('The host takes new sessions again.'),
  'profile-saved': good('The profile is saved. Later sessions can begin with it.'),
  'profile-deleted': good('Profile deleted.'),
  'extension-deleted': good('Extension deleted.'),
  'profile-restored': good('That version is the newest one again.'),
  'login-created': good('Login stored. Its values are not shown again.'),
  'login-changed': good('Login changed.'),
  'login-deleted': good('Login deleted.'),
  'key-revoked': good('Key revoked. It is no longer accepted.'),
} as const satisfies Readonly<Record<string, Sentence>>

export type ConsoleNotice = keyof typeof sentences

/** Undefined for an unknown name. */
export function consoleNotice(name: string | null): Sentence | undefined {
  return name !== null && Object.hasOwn(sentences, name)
    ? sentences[name as ConsoleNotice]
    : undefined
}
