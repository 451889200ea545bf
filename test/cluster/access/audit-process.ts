/** An audit keeper in a process of its own, as an actor host runs one. */
import { openAuditRecorder } from '../../../runtime/access/audit/open.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { openRole } from '../../../runtime/process/role/role.ts'

const role = await openRole('actors', { config: loadConfig() })
const audit = openAuditRecorder(role)
role.onFence(() => audit.stop())
role.onDrain(async () => audit.stop())
role.ready({})
