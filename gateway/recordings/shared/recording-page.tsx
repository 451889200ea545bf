/** The page of a recording for people who were given a link: the film, and what it shows when. */
import type { VideoInfo } from '../../../proto/browser-host/video.ts'
import type { ServiceError } from '../../../proto/errors.ts'
import type { LoggedEvent } from '../../../proto/session/session-event.ts'
import { eventDetail, eventWord } from '../../../runtime/browser-host/event-words.ts'
import { BarePage } from '../../html/document.tsx'
import type { Markup } from '../../html/markup.ts'
import type { PageContent } from '../../html/page-content.ts'
import { EmptyState, PageSection, TimeText } from '../../html/parts.tsx'
import { DataTable } from '../../html/table.tsx'
import { Film, FilmLater, NoFilm, startSecondsOf } from '../player/film.tsx'
import { EventSearch, MomentLink } from '../player/moments.tsx'
import { secondsInVideo } from '../recording-times.ts'

interface Shared {
  readonly sessionId: string
  readonly recording: VideoInfo
  /** Oldest first. */
  readonly events: readonly LoggedEvent[]
  /** Of the request; it contains the token. */
  readonly query: URLSearchParams
}

/** `rest` is the address of a part of the recording. */
const part = ({ sessionId, query }: Shared, rest: '' | '/video' | '/captions') =>
  `/recordings/${sessionId}${rest}?token=${query.get('token') ?? ''}`

const Page = ({ shown }: { readonly shown: PageContent }) => (
  <BarePage
    shown={shown}
    assets={{ sheet: '/web/recording.css', module: '/web/recordings/main.js' }}
    help="Whoever has the link can watch this recording until the link expires."
  />
)

export function recordingPage(shared: Shared): Markup {
  const { recording } = shared
  const shown = {
    title: 'Recording of a browser session',
    lead: <TimeText ms={recording.startedAtMs} zone="UTC" />,
    body: <Body shared={shared} />,
  }
  return <Page shown={shown} />
}

export const refusedPage = ({ message }: ServiceError): Markup => (
  <Page shown={{ title: 'The recording cannot be shown', body: <p>{message}</p> }} />
)

const Body = ({ shared }: { readonly shared: Shared }) => {
  const { recording, sessionId, query } = shared
  switch (recording.state) {
    case 'failed':
      return <NoFilm why={recording.problem} />
    case 'processing':
      return <FilmLater />
    case 'recording':
    case 'paused':
      return (
        <div data-again="10">
          <EmptyState title="The session still runs">
            <p>It can be watched a moment after its end. The page loads itself again.</p>
          </EmptyState>
        </div>
      )
    case 'ready':
      return (
        <>
          <Film
            recording={recording}
            file={part(shared, '/video')}
            captions={part(shared, '/captions')}
            fileName={`${sessionId}.mp4`}
            startSeconds={startSecondsOf(recording, query)}
          />
          <Moments shared={shared} />
        </>
      )
  }
}

const Moments = ({ shared }: { readonly shared: Shared }) => {
  const { spans } = shared.recording
  const rows = shared.events.filter(({ at }) => secondsInVideo(spans, Date.parse(at)) !== undefined)
  if (rows.length === 0) return <></>
  const place = (seconds: string) => `${part(shared, '')}&moment=${seconds}`
  return (
    <PageSection title="What happened" actions={<EventSearch />}>
      <DataTable
        caption={rows.length === 1 ? 'One event' : `${rows.length} events`}
        rows={rows}
        columns={[
          { label: 'What', isHead: true, cell: eventWord },
          {
            label: 'Video',
            cell: ({ at }) => <MomentLink spans={spans} at={at} place={place} />,
          },
          {
            label: 'Details',
            cell: (event) => <span class="breaks">{eventDetail(event)}</span>,
          },
        ]}
      />
    </PageSection>
  )
}
