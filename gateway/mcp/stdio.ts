/** MCP over stdin and stdout, for a process that an MCP client starts. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { fixedSession, processDefaultSession } from './tools/default-session.ts'
import { remoteProblem, remoteCall, type RemoteService } from './remote.ts'
import { remoteTask } from './task/remote-task.ts'
import { toolGroupsOf, type ToolGroup } from './tools/groups.ts'
import { mcpServer } from './server.ts'
import { ServiceClient } from './service.ts'
import { taskServer } from './task/task-server.ts'
import { mcpLimits } from './limits.ts'

export interface StdioSettings extends RemoteService {
  /** An existing session to work in. */
  readonly session: string | undefined
  readonly headful: boolean
  /** Keeps the session when the process ends. */
  readonly keep: boolean
  /** Names of groups of further tools, comma-separated. */
  readonly tools: string
  readonly hasPageMarks: boolean
  /** The token of an agent that works on a task: only that task's tools are offered. */
  readonly taskToken: string | undefined
}

export function settingsOf(
  env: Readonly<Record<string, string | undefined>>,
  clientKey: () => string,
): StdioSettings {
  const given = (name: string) => env[name]?.trim() || undefined
  const isOn = (name: string) => /^(1|true|yes|on)$/i.test(given(name) ?? '')
  return {
    base: given('SVC_BASE') ?? 'http://127.0.0.1:8080',
    key: given('SVC_API_KEY'),
    clientKey,
    session: given('SVC_SESSION_ID'),
    headful: isOn('SVC_HEADFUL'),
    keep: isOn('SVC_KEEP_SESSION'),
    tools: given('SVC_TOOLS') ?? '',
    hasPageMarks: !/^(0|false|no|off)$/i.test(given('SVC_PAGE_MARKS') ?? ''),
    taskToken: given('SVC_TASK_TOKEN'),
  }
}

/** Serves until stdin ends or a signal arrives. Wrong settings are reported by every call. */
export function runStdio(settings: StdioSettings, version: string): void {
  const tell = (text: string) => process.stderr.write(`troupe-mcp: ${text}\n`)
  if (settings.taskToken !== undefined) {
    const tools = remoteTask(settings.base, settings.taskToken)
    serveStdio(() => taskServer(version, tools), { onerror: ({ message }) => tell(message) })
    process.stdin.once('end', () => process.exit(0))
    return
  }
  const wrong = remoteProblem(settings)
  if (wrong) tell(wrong.message)
  if (process.stdin.isTTY)
    tell('this program speaks MCP over stdin and stdout; see troupe-mcp --help')

  const service = new ServiceClient(remoteCall(settings))
  const own =
    settings.session === undefined ? processDefaultSession(service, settings.headful) : undefined
  const defaultSession = own ?? fixedSession(settings.session!)
  const groups = chosenGroups(settings.tools, tell)
  const { hasPageMarks } = settings
  serveStdio(() => mcpServer({ version, service, defaultSession, groups, hasPageMarks }), {
    onerror: ({ message }) => tell(message),
  })

  let leaving = false
  const leave = async () => {
    if (leaving) return
    leaving = true
    // The client may kill this process soon, so ending the session may take only a limited time.
    setTimeout(() => process.exit(0), mcpLimits.mcpLeaveMs).unref()
    try {
      const session = await own?.opened()
      if (session !== undefined && !settings.keep) await service.end(session)
    } catch (error) {
      tell(`the session was not ended: ${String(error)}`)
    }
    process.exit(0)
  }
  const left = () => void leave()
  process.stdin.once('end', left).once('close', left)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, left)
}

/** Reports an unknown group; the client then gets only the tools that every client gets. */
function chosenGroups(names: string, tell: (text: string) => void): readonly ToolGroup[] {
  try {
    return toolGroupsOf(names)
  } catch (error) {
    tell(`SVC_TOOLS=${names}: ${(error as Error).message}`)
    return []
  }
}
