/**
 * An agent asks before it uses a tool. Ours may be used: what they do is checked where they act.
 * Everything else (shell, files, other people's servers) is refused.
 */
import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk'

/** As agents know our MCP endpoint; their names of its tools are made of it. */
export const serverName = 'troupe'

export function permissionAnswer(
  { toolCall, options }: Pick<RequestPermissionRequest, 'toolCall' | 'options'>,
  tools: ReadonlySet<string>,
): RequestPermissionResponse {
  const wanted = isOurs(toolCall, tools)
    ? option(options, 'allow_once', 'allow_always')
    : option(options, 'reject_once', 'reject_always')
  if (!wanted) return { outcome: { outcome: 'cancelled' } }
  return { outcome: { outcome: 'selected', optionId: wanted.optionId } }
}

/** "Once" before "always", which some agents write into their owner's settings. */
function option(
  options: readonly PermissionOption[],
  ...kinds: readonly PermissionOption['kind'][]
): PermissionOption | undefined {
  return kinds.flatMap((kind) => options.find((each) => each.kind === kind) ?? [])[0]
}

type AskedTool = RequestPermissionRequest['toolCall']

/**
 * No field that names the tool is in every agent. Those that are there must all be names of ours,
 * whole: a title may be what a model wrote (the command of a shell), and then must be nothing but
 * such a name to count.
 */
function isOurs({ name, title, toolCallId, _meta }: AskedTool, tools: ReadonlySet<string>) {
  const meta = _meta as { toolName?: unknown; claudeCode?: { toolName?: unknown } } | null
  const told = [name, meta?.toolName, meta?.claudeCode?.toolName].filter(
    (each) => each !== undefined && each !== null,
  )
  const isName = (each: unknown) => typeof each === 'string' && isNameOfOurs(each, tools)
  if (told.length > 0) return told.every(isName)
  // Gemini makes the id of a call of the tool's name and a time.
  return isName(title) || isName(/^(.+)-\d+$/.exec(toolCallId)?.[1])
}

const forms: readonly RegExp[] = [
  new RegExp(`^mcp__${serverName}__(\\w+)$`),
  new RegExp(`^mcp_${serverName}_(\\w+)$`),
  new RegExp(`^${serverName}(?:__|_|[./:])(\\w+)$`),
  new RegExp(`^(\\w+) \\(${serverName} MCP Server\\)$`),
]

function isNameOfOurs(text: string, tools: ReadonlySet<string>): boolean {
  return forms.some((form) => tools.has(form.exec(text)?.[1] ?? ''))
}
