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
    text: 'Please sign in again: the 12 hours are over, or the key is no longer valid.',
  },
  'session-created': good('The session is running.'),
  'session-extended': good('The session has more time.'),
  'session-tagged': good('The tags are saved.'),
  'links-revoked': good(
    'All links and tokens of this session are revoked, and what they opened is closed.',
  ),
  'session-ended': good('The session is ended.'),
  'task-started': good('The task is started. Its steps appear below.'),
  'task-answered': good('The task has your answer.'),
  'task-paused': good('The task pauses before the next thing that it would do.'),
  'task-resumed': good('The task goes on.'),
  'task-cancelled': good('The task is cancelled.'),
  'host-draining': good('The host takes no new sessions. Those that run there go on.'),
  'key-revoked': good('The key is revoked. It is refused from now on.'),
} as const satisfies Readonly<Record<string, Sentence>>

export type ConsoleNotice = keyof typeof sentences

/** Undefined for an unknown name. */
export function consoleNotice(name: string | null): Sentence | undefined {
  return name !== null && Object.hasOwn(sentences, name)
    ? sentences[name as ConsoleNotice]
    : undefined
}
