/** Uses REST like any client, so it works with a service on any host. */
import { limits } from '../../../proto/limits.ts'
import { CommandFailed, UsageError, type CliCommand, type CliCommandGroup } from '../command.ts'
import { alignColumns } from '../help.ts'
import { baseVariable, unreachableService, serviceBase, serviceKey } from '../service-base.ts'

interface ListedSession {
  readonly id: string
  readonly status: string
  readonly created_at: string
  readonly tags?: readonly string[]
}

const variables = {
  ...baseVariable,
  SVC_API_KEY: 'The key to use. (default: the development key)',
}

const list: CliCommand = {
  usage: 'sessions list [--status S] [--page N]',
  about: 'List your sessions, the newest first.',
  options: {
    status: { value: 'S', help: 'Only those: starting, running, ending, completed, failed, lost.' },
    page: { value: 'N', help: `Which page of ${limits.pageRows} (default: 1).` },
  },
  variables,
  examples: ['troupe sessions list --status running'],
  async run({ values }) {
    const query = new URLSearchParams({
      limit: String(limits.pageRows),
      sort_order: 'desc',
      page: values['page'] ?? '1',
      ...(values['status'] && { status: values['status'] }),
    })
    const { sessions, total } = await call<{ sessions: ListedSession[]; total: number }>(
      'GET',
      `/v1/sessions?${query}`,
    )
    if (sessions.length > 0) console.log(alignColumns(sessions.map(row), ''))
    console.log(`${sessions.length} of ${total}`)
    return 0
  },
}

function row({ id, status, created_at, tags = [] }: ListedSession): readonly [string, string] {
  return [id, `${status.padEnd(9)}  ${created_at}  ${tags.join(' ')}`.trimEnd()]
}

const end: CliCommand = {
  usage: 'sessions end (ID | --all)',
  about: 'End one session, or all of yours.',
  arguments: [0, 1],
  options: { all: { help: 'Every session of the key’s tenant.' } },
  variables,
  examples: ['troupe sessions end ses_…', 'troupe sessions end --all'],
  async run({ args: [id], switches }) {
    if ((id === undefined) === !switches.has('all')) throw new UsageError('say which: ID or --all')
    await call('DELETE', `/v1/sessions/${id === undefined ? 'all' : encodeURIComponent(id)}`)
    console.log(id === undefined ? 'ended all' : `ended ${id}`)
    return 0
  },
}

async function call<T>(method: string, path: string): Promise<T> {
  const base = serviceBase()
  let response: Response
  try {
    response = await fetch(base + path, {
      method,
      headers: { 'service-api-key': serviceKey() },
      signal: AbortSignal.timeout(limits.requestHeldMs),
    })
  } catch (error) {
    throw unreachableService(base, error)
  }
  const body = (await response.json().catch(() => undefined)) as
    { data?: T; error?: { message?: string } } | undefined
  if (!response.ok || body?.data === undefined) {
    throw new CommandFailed(`${base} said ${response.status}: ${body?.error?.message ?? 'nothing'}`)
  }
  return body.data
}

export const sessionsCommandGroup: CliCommandGroup = {
  about: 'List and end sessions over REST.',
  commands: { list, end },
}
