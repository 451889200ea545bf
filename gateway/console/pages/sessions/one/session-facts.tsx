/** The facts of a session, and the event stream that keeps them current on an open page. */
import type { Traffic } from '../../../../../proto/session/browser-reports.ts'
import type { ProfileOutcome } from '../../../../../proto/session/profile.ts'
import { isFinal, type SessionView } from '../../../../../proto/session/session.ts'
import { toHtml } from '../../../../html/markup.ts'
import { ExternalLink, FactList, TimeText, type FactItem } from '../../../../html/parts.tsx'
import { plural } from '../../../../html/plural.ts'
import { LiveMark } from '../../../html/live-mark.tsx'
import { sizeWord } from '../../../../../runtime/lib/text/sizes.ts'
import { TraceLinks } from '../../../html/trace-links.tsx'
import { openFeed } from '../../../live/open-feed.ts'
import type { ConsoleFile } from '../../../page.ts'
import { ConsoleVisit } from '../../../visit.ts'
import { Age, StateCell, TagList } from '../list/session-row.tsx'
import { shortSpan, shortUrl } from '../session-words.ts'
import { sessionOf } from './session-acts.ts'
import { ExtendForm, TagForm } from './session-controls.tsx'
import { setupWords } from './setup-words.ts'

interface Props {
  readonly view: SessionView
  readonly visit: ConsoleVisit
}

export const SessionFacts = ({ view, visit }: Props) => {
  const feed = visit.at(`/sessions/${view.id}/feed?status=${view.status}`)
  return (
    <div class="session-facts">
      {isFinal(view.status) ? '' : <LiveMark feed={feed} visit={visit} />}
      <CurrentFacts view={view} visit={visit} />
      {visit.has('sessions') && view.status === 'running' ? (
        <div class="session-forms">
          <ExtendForm view={view} visit={visit} />
          <TagForm view={view} visit={visit} />
        </div>
      ) : (
        ''
      )}
    </div>
  )
}

/** What is kept of traced and recorded sessions. */
function keptFacts({ view: { id, options }, visit }: Props): readonly FactItem[] {
  if (!visit.has('drive')) return []
  const at = (part: string) => visit.at(`/sessions/${id}/${part}`)
  const trace = { term: 'Trace', is: <TraceLinks href={at('trace')} /> }
  const requests = { term: 'Requests', is: <a href={at('har')}>Save as HAR</a> }
  if (options.tracing) return [trace, requests]
  return options.recording ? [requests] : []
}

/** Separate from the forms, so that an update does not discard what somebody is typing. */
const CurrentFacts = ({ view, visit }: Props) => {
  const { options, tags, createdAtMs, endedAtMs, expiresAtMs, idleExpiresAtMs } = view
  const { width, height } = options.viewport
  return (
    <div id="facts">
      <FactList
        of={[
          { term: 'State', is: <StateCell view={view} /> },
          view.message !== undefined && { term: 'Details', is: view.message },
          {
            term: endedAtMs === undefined ? 'Age' : 'Duration',
            is: <Age view={view} now={visit.now} />,
          },
          { term: 'Created', is: <TimeText ms={createdAtMs} zone="UTC" /> },
          endedAtMs !== undefined && { term: 'Ended', is: <TimeText ms={endedAtMs} zone="UTC" /> },
          !isFinal(view.status) && {
            term: 'Ends in',
            is: expiresAtMs === undefined ? 'No limit' : <Until ms={expiresAtMs} visit={visit} />,
          },
          idleExpiresAtMs !== undefined && {
            term: 'If idle, ends in',
            is: <Until ms={idleExpiresAtMs} visit={visit} />,
          },
          {
            term: 'Kind',
            is: `${options.headless ? 'Headless' : 'Desktop'}, ${width} × ${height}`,
          },
          options.setup && { term: 'Set up as', is: <bdi>{setupWords(options.setup)}</bdi> },
          options.initialUrl !== undefined && {
            term: 'Start page',
            is: <StartPage url={options.initialUrl} />,
          },
          options.proxy && { term: 'Proxy', is: options.proxy.server },
          options.profile && { term: 'Profile', is: <Profile view={view} /> },
          options.extensions && { term: 'Extensions', is: options.extensions.join(', ') },
          view.profile?.filled && { term: 'Logins filled in', is: loginsText(view.profile) },
          view.use?.traffic && { term: 'Traffic', is: trafficText(view.use.traffic) },
          view.use?.blockedRequests !== undefined && {
            term: 'Blocked',
            is: plural(view.use.blockedRequests, 'request'),
          },
          view.use &&
            view.use.domains.length > 0 && {
              term: 'Visited',
              is: <bdi>{view.use.domains.toReversed().join(', ')}</bdi>,
            },
          { term: 'Tenant', is: <bdi>{view.tenant}</bdi> },
          { term: 'Key', is: <bdi>{view.keyName}</bdi> },
          view.nodeId !== undefined && { term: 'Host', is: view.nodeId },
          ...keptFacts({ view, visit }),
          tags.length > 0 && { term: 'Tags', is: <TagList tags={tags} /> },
        ]}
      />
    </div>
  )
}

const Profile = ({ view: { options, profile = {} } }: Pick<Props, 'view'>) => {
  const { saved, problem } = profile
  const { name, persist } = options.profile!
  const fate = problem === undefined ? 'saved when the session ends' : `not saved: ${problem}`
  return (
    <>
      <bdi>{name}</bdi>
      {persist ? (saved === undefined ? `, ${fate}` : `, saved as version ${saved}`) : ''}
    </>
  )
}

const trafficText = ({ sentBytes, receivedBytes }: Traffic) =>
  `${sizeWord(receivedBytes)} received, ${sizeWord(sentBytes)} sent`

/** Of a session with a profile. */
const loginsText = ({ filled = [], ended = [] }: ProfileOutcome) =>
  filled.map((name) => (ended.includes(name) ? `${name} (it had ended)` : name)).join(', ')

const StartPage = ({ url }: { url: string }) =>
  shortUrl(url) === url ? <ExternalLink url={url} /> : <>{shortUrl(url)}</>

const Until = ({ ms, visit }: { ms: number; visit: ConsoleVisit }) => (
  <span data-until={String(ms)}>{shortSpan(ms - visit.now)}</span>
)

/** In another state the page has other parts, so it is reloaded then. */
export function feedSession(visit: ConsoleVisit): ConsoleFile {
  const { deps, facts } = visit
  const first = sessionOf(visit)
  return openFeed(visit, (send) => {
    const tell = (view: SessionView) => {
      if (view.status !== visit.asked('status')) return send('over', {})
      const now = new ConsoleVisit(facts, deps)
      return send('parts', { facts: toHtml(CurrentFacts({ view, visit: now })) })
    }
    tell(first)
    return deps.views.onChange((view, id) => {
      if (id === first.id && view) tell(view)
    })
  })
}
