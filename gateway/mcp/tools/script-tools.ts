/** `run_script`, for clients that request the group `scripts`. */
import type { Command } from '../../../proto/commands/command.ts'
import { runScriptCommand, scriptTool } from '../../../proto/commands/page/scripting.ts'
import { commandTool } from './command-tools.ts'
import type { McpTool } from './tool.ts'

export const scriptTools: readonly McpTool[] = [
  commandTool(runScriptCommand as Command, scriptTool),
]
