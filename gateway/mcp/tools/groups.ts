/**
 * Groups of tools that are offered only to clients that request them, because each definition costs
 * tokens of every model that sees it: `SVC_TOOLS=tasks,scripts` for `troupe-mcp`,
 * `/mcp?tools=tasks,scripts` over HTTP.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { osCommandTools, pageCommandTools } from './command-tools.ts'
import { permissionTools, routeTools, scriptTools } from './group-tools.ts'
import { sessionTools } from './session-tools.ts'
import { taskTools } from './task-tools.ts'
import type { McpTool } from './tool.ts'

/** To add a group, add a line here. */
const groups = {
  permissions: permissionTools,
  routes: routeTools,
  scripts: scriptTools,
  tasks: taskTools,
} as const satisfies Readonly<Record<string, readonly McpTool[]>>

export type ToolGroup = keyof typeof groups
const toolGroups = Object.keys(groups) as readonly ToolGroup[]

const always: readonly McpTool[] = [...pageCommandTools, ...sessionTools, ...osCommandTools]

/** Parses comma-separated names. Throws `bad_request` for an unknown group. */
export function toolGroupsOf(names: string): readonly ToolGroup[] {
  const asked = names.split(',').map((name) => name.trim())
  return [...new Set(asked)].filter(Boolean).map((name) => {
    const known = toolGroups.find((group) => group === name)
    if (known) return known
    const all = toolGroups.join(', ')
    throw new ServiceError(
      'bad_request',
      `There is no tool group ${name}. Available groups: ${all}.`,
    )
  })
}

/** The tools that every client gets, and those of the groups, by name. */
export function toolsWith(chosen: readonly ToolGroup[]): ReadonlyMap<string, McpTool> {
  const tools = [...always, ...chosen.flatMap((group) => groups[group])]
  return new Map(tools.map((tool) => [tool.definition.name, tool]))
}
