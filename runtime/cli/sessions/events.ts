/** What has happened in a session, over REST. */
import type { LoggedEvent } from '../../../proto/session/session-event.ts'
import { eventActor, eventDetail, eventWord } from '../../browser-host/event-words.ts'
import { UsageError, type CliCommand } from '../command.ts'
import { callService, callVariables as variables, idPart } from '../service-call.ts'
import { prettyJson, tableText, type TextColumn } from '../terminal/table.ts'

interface EventList {
  readonly items: readonly LoggedEvent[]
}

const columns: readonly TextColumn<LoggedEvent>[] = [
  { head: 'TIME', cell: ({ at }) => at.slice(0, 19).replace('T', ' ') },
  { head: 'WHAT', cell: eventWord },
  { head: 'BY', cell: (event) => eventActor(event, (id) => id) },
  { head: 'DETAILS', cell: eventDetail, charsMax: 100 },
]

export const eventsCommand: CliCommand = {
  usage: 'sessions events ID [--last N] [--json]',
  about: 'Show what has happened in a session, also after its end.',
  more: 'Commands, what CDP clients did, pages and downloads; kept for a day. Times are UTC.',
  arguments: [1, 1],
  options: {
    last: { value: 'N', help: 'How many, the newest (default: 50, at most 500).' },
    json: { help: 'Print the service’s answer as JSON.' },
  },
  variables,
  examples: ['troupe sessions events ses_…', 'troupe sessions events ses_… --last 500 --json'],
  async run({ args: [id], values: { last = '50' }, switches }) {
    if (!/^[1-9]\d{0,2}$/.test(last)) throw new UsageError('--last is a number from 1 to 500')
    const path = `/v1/sessions/${idPart(id)}/events?last=${last}`
    const found = await callService<EventList>('GET', path)
    if (switches.has('json')) console.log(prettyJson(found))
    else console.log(found.items.length === 0 ? 'no events' : tableText(columns, found.items))
    return 0
  },
}
