/** The tools of commands that are offered only to clients that request their group. */
import type { Command, ToolForm } from '../../../proto/commands/command.ts'
import { handlePermissionCommand, permissionTool } from '../../../proto/commands/page/permitting.ts'
import {
  routeCommand,
  routeTool,
  unrouteCommand,
  unrouteTool,
} from '../../../proto/commands/page/routing.ts'
import { runScriptCommand, scriptTool } from '../../../proto/commands/page/scripting.ts'
import { commandTool } from './command-tools.ts'
import type { McpTool } from './tool.ts'

const toolOf = (command: unknown, form: ToolForm): McpTool => commandTool(command as Command, form)

export const permissionTools = [toolOf(handlePermissionCommand, permissionTool)]
export const routeTools = [toolOf(routeCommand, routeTool), toolOf(unrouteCommand, unrouteTool)]
export const scriptTools = [toolOf(runScriptCommand, scriptTool)]
