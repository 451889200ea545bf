/**
 * A role that joins the service and does nothing but start and stop. Its name is its first
 * argument.
 */
import type { Role } from '../../../proto/ids.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { openMember } from '../../../runtime/process/role/member.ts'

const role = await openMember(process.argv[2] as Role, { config: loadConfig() })
role.ready({})
