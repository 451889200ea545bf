/** `handle_permission`, for clients that request the group `permissions`. */
import type { Command } from '../../../proto/commands/command.ts'
import { handlePermissionCommand, permissionTool } from '../../../proto/commands/page/permitting.ts'
import { commandTool } from './command-tools.ts'
import type { McpTool } from './tool.ts'

export const permissionTools: readonly McpTool[] = [
  commandTool(handlePermissionCommand as Command, permissionTool),
]
