/** What has happened in a session, while it runs and after its end. */
import type { VideoInfo } from '../../../../../proto/browser-host/video.ts'
import type { LoggedEvent } from '../../../../../proto/session/session-event.ts'
import { defined } from '../../../../../proto/defined.ts'
import { isFinal, type SessionView } from '../../../../../proto/session/session.ts'
import {
  eventActor,
  eventDetail,
  eventWord,
} from '../../../../../runtime/browser-host/event-words.ts'
import { PageSection } from '../../../../html/parts.tsx'
import { DataTable } from '../../../../html/table.tsx'
import { EventSearch, MomentLink } from '../../../../recordings/player/moments.tsx'
import { readEvents } from '../../../../session-events/read-events.ts'
import { consoleLimits } from '../../../limits.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { stepItemId } from '../../tasks/one/task-steps.tsx'
import { shortUrl } from '../session-words.ts'
import { orErrorNotice } from './session-browser.tsx'
import { isWatchable, type ShownRecording } from './session-recording.tsx'

interface Props {
  readonly view: SessionView
  readonly visit: ConsoleVisit
  readonly recording: ShownRecording | undefined
}

export async function HappenedSection({ view, visit, recording }: Props) {
  const list = await orErrorNotice(async () => {
    const newest = { last: consoleLimits.eventRows }
    const { events } = await readEvents(visit.deps.bus, view, newest, consoleLimits.glanceMs)
    return events.length === 0 ? (
      <p class="quiet">
        {isFinal(view.status)
          ? 'Nothing happened in it, or it was more than a day ago.'
          : 'Nothing yet. Commands, what CDP clients do, pages and downloads are listed here.'}
      </p>
    ) : (
      <EventTable events={events.toReversed()} view={view} visit={visit} recording={recording} />
    )
  })
  const search = isWatchable(view, recording) ? <EventSearch /> : undefined
  return (
    <PageSection title="What happened" {...defined({ actions: search })}>
      {list}
    </PageSection>
  )
}

interface Events extends Props {
  readonly events: readonly LoggedEvent[]
}

const EventTable = ({ events, view, visit, recording }: Events) => (
  <DataTable
    caption={events.length === 1 ? 'One event' : `The last ${events.length}, newest first`}
    rows={events}
    columns={[
      { label: 'What', isHead: true, cell: eventWord },
      {
        label: 'When',
        cell: ({ at }) => <time datetime={at}>{`${at.slice(11, 19)} UTC`}</time>,
      },
      ...(isWatchable(view, recording)
        ? [momentColumn(recording, visit.at(`/sessions/${view.id}`))]
        : []),
      {
        label: 'Details',
        cell: (event) => <span class="breaks">{shortUrl(eventDetail(event))}</span>,
      },
      { label: 'By', cell: (event) => <Actor event={event} visit={visit} /> },
    ]}
  />
)

const momentColumn = ({ spans }: VideoInfo, here: string) => ({
  label: 'Video',
  cell: ({ at }: LoggedEvent) => (
    <MomentLink spans={spans} at={at} place={(seconds) => `${here}?moment=${seconds}`} />
  ),
})

/** A command of a task leads to the step that it carried out. */
const Actor = ({ event, visit }: { readonly event: LoggedEvent; readonly visit: ConsoleVisit }) => {
  const { keys } = visit.deps
  const actor = eventActor(event, (id) => keys.get(id)?.name ?? id)
  if (event.type !== 'command' || event.task === undefined) return <bdi>{actor}</bdi>
  const { task, step } = event
  const place = step === undefined ? '' : `#${stepItemId({ n: step })}`
  return <a href={visit.at(`/tasks/${task}${place}`)}>{actor}</a>
}
