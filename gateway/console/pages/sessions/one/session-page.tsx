/** One session: its live view, its facts, and its history. */
import { hasBrowser, isFinal, type SessionView } from '../../../../../proto/session/session.ts'
import { ErrorSummary } from '../../../../html/form.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import { EmptyState, NoticeBox } from '../../../../html/parts.tsx'
import { CopyButton } from '../../../../html/code/code-sample.tsx'
import type { ConsoleVisit } from '../../../visit.ts'
import { makeLink, sessionOf } from './session-acts.ts'
import { EndButton } from './session-controls.tsx'
import { SessionFacts } from './session-facts.tsx'
import { LoginsSection } from './session-logins.tsx'
import { historyOf } from './session-history.ts'
import { mayLook } from '../list/session-row.tsx'
import {
  ConnectSection,
  DownloadsSection,
  RecordedSection,
  TabsSection,
} from './session-browser.tsx'
import { HappenedSection } from './session-happened.tsx'
import {
  isWatchable,
  makeVideoLink,
  recordingIn,
  RecordingFigure,
  RecordingSection,
  type ShownRecording,
} from './session-recording.tsx'
import { lastLookOf, LastPicture, type LastLook } from './last-picture.tsx'
import { HistorySection, LinksSection, TasksSection } from './session-sections.tsx'

export async function showSession(
  visit: ConsoleVisit,
  problem?: FormProblem,
): Promise<PageContent> {
  return pageOf(visit, { problem })
}

/** The page after a link was created, which is the only one that shows it. */
export async function showNewLink(visit: ConsoleVisit): Promise<PageContent> {
  return pageOf(visit, { link: await makeLink(visit) })
}

export async function showVideoLink(visit: ConsoleVisit): Promise<PageContent> {
  return pageOf(visit, { link: await makeVideoLink(visit) })
}

interface Besides {
  readonly problem?: FormProblem | undefined
  readonly link?: string
}

async function pageOf(visit: ConsoleVisit, { problem, link }: Besides): Promise<PageContent> {
  const view = sessionOf(visit)
  const isRunning = view.status === 'running'
  const [history, recording] = await Promise.all([
    historyOf(visit, view),
    recordingIn({ view, visit }),
  ])
  const last = recording ? undefined : await lastLookOf({ view, visit })
  return {
    title: 'Session',
    up: { href: visit.at(''), label: 'Sessions' },
    isFraming: isRunning && mayLook(visit),
    isPlaying: isWatchable(view, recording),
    lead: (
      <>
        <code id="session-id">{view.id}</code> <CopyButton of="session-id" what="the ID" />
      </>
    ),
    actions: hasBrowser(view.status) ? <Actions view={view} visit={visit} /> : undefined,
    body: (
      <>
        <ErrorSummary problem={problem} />
        {link === undefined ? '' : <NewLink url={link} />}
        <div class="session-top">
          <Picture view={view} visit={visit} recording={recording} last={last} />
          <SessionFacts view={view} visit={visit} />
        </div>
        {isRunning && recording ? (
          <RecordingSection view={view} visit={visit} recording={recording} />
        ) : (
          ''
        )}
        {isRunning ? await TabsSection({ view, visit }) : ''}
        {isRunning && visit.has('drive') ? <ConnectSection view={view} visit={visit} /> : ''}
        {isRunning && visit.has('drive') ? <LoginsSection view={view} visit={visit} /> : ''}
        <TasksSection view={view} visit={visit} />
        {mayLook(visit) && (isRunning || isFinal(view.status))
          ? await HappenedSection({ view, visit, recording })
          : ''}
        {isRunning && visit.has('files') ? await DownloadsSection({ view, visit }) : ''}
        {isRunning && visit.has('drive') ? await RecordedSection({ view, visit }) : ''}
        <LinksSection view={view} visit={visit} history={history} />
        <HistorySection history={history} />
      </>
    ),
  }
}

interface Props {
  readonly view: SessionView
  readonly visit: ConsoleVisit
}

interface Seen extends Props {
  readonly recording: ShownRecording | undefined
  readonly last: LastLook | undefined
}

const Picture = ({ view, visit, recording, last }: Seen) => {
  if (view.status === 'running' && mayLook(visit)) return <LiveFrame view={view} visit={visit} />
  if (isFinal(view.status) && recording) {
    return <RecordingFigure view={view} visit={visit} recording={recording} />
  }
  return last ? <LastPicture {...last} /> : <NoPicture view={view} />
}

const Actions = ({ view, visit }: Props) => (
  <>
    {mayLook(visit) ? (
      <a
        class="button plain"
        href={visit.at(`/sessions/${view.id}/live`)}
        target="_blank"
        rel="noopener"
      >
        Open live view<span class="hidden"> in a new tab</span>
      </a>
    ) : (
      ''
    )}
    {visit.has('sessions') || visit.isAdmin ? (
      <EndButton view={view} visit={visit}>
        End session
      </EndButton>
    ) : (
      ''
    )}
  </>
)

/**
 * The frame takes no input at first: otherwise the Tab key would go to the session and not come
 * back.
 */
const LiveFrame = ({ view, visit }: Props) => {
  const here = visit.at(`/sessions/${view.id}`)
  const mayControl = visit.has('drive') && !view.options.liveViewReadOnly
  const isControlled = mayControl && visit.asked('control') !== undefined
  return (
    <figure class="live-frame">
      <iframe
        src={`${here}/live${isControlled ? '' : '?mode=view'}`}
        title="Live view of the session"
        allow="clipboard-read; clipboard-write; fullscreen"
        loading="lazy"
      />
      <figcaption>
        {mayControl && !isControlled ? <a href={`${here}?control=1`}>Take control here</a> : ''}
        {isControlled ? <a href={here}>Watch only</a> : ''}
        <span>While this page is open, the session counts as in use.</span>
      </figcaption>
    </figure>
  )
}

const NoPicture = ({ view: { status } }: Pick<Props, 'view'>) => (
  <EmptyState title={isFinal(status) ? 'This session has ended' : 'There is no live view'}>
    <p>
      {isFinal(status)
        ? 'Its browser is closed. What happened in it is below.'
        : status === 'unreachable'
          ? 'The host of its browser has lost contact. The session goes on when the host is back, and is lost if it does not come back.'
          : 'The session is starting or ending, or this key is not allowed to watch it.'}
    </p>
  </EmptyState>
)

const NewLink = ({ url }: { url: string }) => (
  <NoticeBox tone="good" title="Link created. It is shown only once.">
    <p>
      <code id="new-link">{url}</code>
    </p>
    <p>
      <CopyButton of="new-link" what="the link" />
    </p>
  </NoticeBox>
)
