/** Parts of a session's page whose data comes from its browser. */
import { z } from 'zod'
import { ServiceError } from '../../../../../proto/errors.ts'
import { sessionKey } from '../../../../../proto/accounts/key.ts'
import type { SessionView } from '../../../../../proto/session/session.ts'
import type { Markup } from '../../../../html/markup.ts'
import { ButtonLink, EmptyState, PageSection } from '../../../../html/parts.tsx'
import { DataTable } from '../../../../html/table.tsx'
import { downloadListJson } from '../../../../files/file-json.ts'
import { CodeSample, CopyButton, FoldedSample } from '../../../../html/code/code-sample.tsx'
import { sizeWord } from '../../../../../runtime/lib/text/sizes.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { shortUrl } from '../session-words.ts'
import { attachLines } from '../../../../html/code/code-lines.ts'

interface Props {
  readonly view: SessionView
  readonly visit: ConsoleVisit
}

/** If a part fails, for example because a page hangs, the other parts are still shown. */
export async function orErrorNotice(work: () => Promise<Markup>): Promise<Markup> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return <p class="quiet">{error.message}</p>
  }
}

/** A socket URL of the session's browser, with a key for this session only. */
function socketUrl({ view, visit }: Props, path: string): string {
  const { addresses, serviceSecret } = visit.deps
  const { request, principal } = visit.facts
  const key = sessionKey(serviceSecret.text, view.id, principal.keyId)
  return `${addresses.ws(request)}${path}?apiKey=${key}&sessionId=${view.id}`
}

/** The URL of the DevTools in the reader's own Chromium, for a page of the session. */
function inspectorUrl(of: Props, pageId: string): string {
  const [, scheme = '', rest = ''] = /^(wss?):\/\/(.*)$/.exec(
    socketUrl(of, `/devtools/page/${pageId}`),
  )!
  return `devtools://devtools/bundled/inspector.html?${scheme}=${encodeURIComponent(rest)}`
}

export async function TabsSection({ view, visit }: Props) {
  const list = await orErrorNotice(async () => {
    const { pages } = await visit.deps.glances.of(view)
    return (
      <ul class="todo tabs">
        {pages.map(({ id, title, url }, n) => (
          <li>
            <span>
              {title || 'Untitled'}
              <span class="quiet breaks">{shortUrl(url)}</span>
            </span>
            {visit.has('drive') ? (
              <span class="tab-acts">
                <a
                  class="button plain"
                  href={visit.at(`/sessions/${view.id}/devtools?page=${id}`)}
                  target="_blank"
                  rel="noopener"
                >
                  Open DevTools<span class="hidden"> of tab {n + 1}, in a new tab</span>
                </a>
                <code id={`inspect-${n}`} class="hidden">
                  {inspectorUrl({ view, visit }, id)}
                </code>
                <CopyButton of={`inspect-${n}`} what={`the DevTools address for tab ${n + 1}`}>
                  Copy address
                </CopyButton>
              </span>
            ) : (
              ''
            )}
          </li>
        ))}
      </ul>
    )
  })
  return (
    <PageSection title="Tabs">
      {list}
      {visit.has('drive') ? (
        <p class="quiet">
          DevTools open in a sandbox with a token that is valid for one hour and listed under “Links
          and tokens”. To use the DevTools of your own Chrome, Edge or Chromium, paste the address
          into its address bar.
        </p>
      ) : (
        ''
      )}
    </PageSection>
  )
}

export const ConnectSection = ({ view, visit }: Props) => {
  const cdpUrl = socketUrl({ view, visit }, '/')
  return (
    <PageSection title="Connect from your code">
      <p class="quiet">The key in this address works for this session only.</p>
      <CodeSample id="code-cdp" label="CDP address" text={cdpUrl} />
      {attachLines(cdpUrl).map(({ name, label, text }) => (
        <FoldedSample id={`code-${name}`} label={label} text={text} isOpen={false} />
      ))}
    </PageSection>
  )
}

type Download = z.infer<typeof downloadListJson>['data']['items'][number]

export async function DownloadsSection({ view, visit }: Props) {
  const content = await orErrorNotice(async () => {
    const call = { params: { session_id: view.id } }
    const route = 'GET /v1/sessions/{session_id}/downloads'
    const { data } = await visit.run(route, call, downloadListJson, view.tenant)
    if (data.items.length === 0) return <p class="quiet">There are no downloads.</p>
    const fileOf = ({ id }: Download) => visit.at(`/sessions/${view.id}/downloads/${id}`)
    return (
      <DataTable
        caption="Files that the browser downloaded"
        rows={data.items}
        columns={[
          {
            label: 'File',
            isHead: true,
            cell: (file) => <a href={fileOf(file)}>{file.suggested_file_name}</a>,
          },
          { label: 'State', cell: ({ state }) => state.replaceAll('_', ' ') },
          { label: 'Size', isNumber: true, cell: ({ size }) => sizeWord(size) },
          { label: 'From', cell: ({ origin_url }) => <span class="breaks">{origin_url}</span> },
        ]}
      />
    )
  })
  return <PageSection title="Downloads">{content}</PageSection>
}

const consoleAnswer = z.object({
  data: z.object({
    lines: z.array(z.object({ at: z.string(), level: z.string(), text: z.string() })),
  }),
})

const networkAnswer = z.object({
  data: z.object({
    requests: z.array(
      z.object({
        method: z.string(),
        url: z.string(),
        status: z.number().optional(),
        type: z.string(),
        error: z.string().optional(),
      }),
    ),
  }),
})

/** Recording slows the page down a little, so it starts when somebody requests it. */
export async function RecordedSection({ view, visit }: Props) {
  const here = visit.at(`/sessions/${view.id}`)
  if (visit.asked('record') === undefined) {
    return (
      <PageSection title="Console and network">
        <EmptyState title="Nothing is recorded yet">
          <p>Start recording to see new console lines and network requests of the page.</p>
          <p>
            <ButtonLink href={`${here}?record=1#s-console-and-network`}>Start recording</ButtonLink>
          </p>
        </EmptyState>
      </PageSection>
    )
  }
  const read = async () => {
    const route = 'POST /v1/sessions/{session_id}/commands/{command}'
    const of = (command: string) => ({ params: { session_id: view.id, command }, body: {} })
    const [console, network] = await Promise.all([
      visit.run(route, of('console'), consoleAnswer, view.tenant),
      visit.run(route, of('network'), networkAnswer, view.tenant),
    ])
    return (
      <>
        <ConsoleLines lines={console.data.lines} />
        <Requests requests={network.data.requests} />
      </>
    )
  }
  return (
    <PageSection
      title="Console and network"
      actions={<ButtonLink href={`${here}?record=1#s-console-and-network`}>Refresh</ButtonLink>}
    >
      {await orErrorNotice(read)}
    </PageSection>
  )
}

const ConsoleLines = ({ lines }: z.infer<typeof consoleAnswer>['data']) =>
  lines.length === 0 ? (
    <p class="quiet">No console lines since the recording started.</p>
  ) : (
    <DataTable
      caption="Console, newest first"
      rows={lines.toReversed().slice(0, 100)}
      columns={[
        { label: 'Line', isHead: true, cell: ({ text }) => <span class="excerpt">{text}</span> },
        { label: 'Level', cell: ({ level }) => level },
        { label: 'Time', cell: ({ at }) => at.slice(11, 19) },
      ]}
    />
  )

const Requests = ({ requests }: z.infer<typeof networkAnswer>['data']) =>
  requests.length === 0 ? (
    <p class="quiet">No requests since the recording started.</p>
  ) : (
    <DataTable
      caption="Requests, newest first"
      rows={requests.toReversed().slice(0, 100)}
      columns={[
        { label: 'URL', isHead: true, cell: ({ url }) => <span class="breaks">{url}</span> },
        { label: 'Method', cell: ({ method }) => method },
        { label: 'Response', cell: ({ status, error }) => error ?? status ?? 'pending' },
        { label: 'Type', cell: ({ type }) => type },
      ]}
    />
  )
