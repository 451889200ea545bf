/** Events of sessions in words, for pages that people read. */
import type { clientActs, LoggedEvent } from '../../proto/session/session-event.ts'

type EventOf<T extends LoggedEvent['type']> = Extract<LoggedEvent, { type: T }>

const acts: Readonly<Record<(typeof clientActs)[number], string>> = {
  navigate: 'Navigated',
  click: 'Clicked',
  keys: 'Pressed keys',
  text: 'Inserted text',
  scroll: 'Scrolled',
  touch: 'Touched',
  upload: 'Chose files',
  answer_dialog: 'Answered a dialog',
  open_page: 'Opened a tab',
  close_page: 'Closed a tab',
  set_cookies: 'Set cookies',
}

const viewers = { view: 'Viewer', control: 'Viewer in control' } as const

const recordingWords: Readonly<Record<EventOf<'recording'>['state'], string>> = {
  paused: 'Recording paused',
  resumed: 'Recording went on',
  removed: 'Recording deleted',
}

const clientWord = ({ kind, mode = 'view', state }: EventOf<'client'>): string =>
  `${kind === 'cdp' ? 'CDP client' : viewers[mode]} ${state}`

/** What happened, in a few words. */
export function eventWord(event: LoggedEvent): string {
  switch (event.type) {
    case 'command':
      return event.command.replaceAll('_', ' ')
    case 'client':
      return clientWord(event)
    case 'act':
      return acts[event.act]
    case 'recording':
      return recordingWords[event.state]
    case 'page_opened':
      return 'Tab opened'
    case 'page_navigated':
      return 'Page changed'
    case 'page_closed':
      return 'Tab closed'
    case 'page_crashed':
      return 'Page crashed'
    case 'page_error':
      return 'Error in the page'
    case 'request_failed':
      return 'Request failed'
    case 'download':
      return 'Download began'
    case 'skipped':
      return 'Not kept'
  }
}

/** What it was about: an element, an address, a place; empty if there is nothing to say. */
export function eventDetail(event: LoggedEvent): string {
  switch (event.type) {
    case 'command': {
      const { target, ms, outcome } = event
      const failure = outcome === 'done' ? undefined : outcome.replaceAll('_', ' ')
      return [target, `${ms} ms`, failure].filter((part) => part !== undefined).join(', ')
    }
    case 'act':
      return actDetail(event)
    case 'page_opened':
    case 'page_navigated':
      return event.url
    case 'page_error':
      return event.text
    case 'request_failed':
      return `${event.url}: ${event.reason}`
    case 'download':
      return event.name
    case 'skipped':
      return `${event.count} events that came too fast`
    default:
      return ''
  }
}

function actDetail({ url, x, y, count }: EventOf<'act'>): string {
  if (url !== undefined) return url
  const place = x === undefined ? undefined : `at ${x}, ${y}`
  const times = count === undefined || count === 1 ? undefined : `${count} ×`
  return [times, place].filter((part) => part !== undefined).join(' ')
}

function commander({ task, step, key }: EventOf<'command'>, nameOf?: NameOfKey): string {
  if (task === undefined) return key === undefined || !nameOf ? 'A caller' : `Key ${nameOf(key)}`
  return step === undefined ? 'A task' : `A task, step ${step}`
}

const clientOf = ({ client }: EventOf<'client' | 'act'>): string => `Client ${client.slice(0, 4)}`

/** The name of a key by its id. */
type NameOfKey = (id: string) => string

/** Who did it; empty for what a page or the browser did. Without `nameOf`, keys are left out. */
export function eventActor(event: LoggedEvent, nameOf?: NameOfKey): string {
  switch (event.type) {
    case 'command':
      return commander(event, nameOf)
    case 'client':
      return (
        clientOf(event) + (event.key === undefined || !nameOf ? '' : `, key ${nameOf(event.key)}`)
      )
    case 'act':
      return clientOf(event)
    default:
      return ''
  }
}
