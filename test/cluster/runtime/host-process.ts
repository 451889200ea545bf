/** An actor host in a process of its own, like `troupe actors`, with counters only. */
import { loadConfig } from '../../../runtime/config/config.ts'
import { ActorHost } from '../../../runtime/actor/host/host.ts'
import { openRole } from '../../../runtime/process/role/role.ts'
import { counterKind } from '../../helpers/runtime/counter-kind.ts'

const role = await openRole('actors', { config: loadConfig() })
const kinds = [counterKind(async () => undefined)]
const host = new ActorHost({ ...role, kinds })
role.onFence(() => host.fence())
role.onDrain(() => host.drain())
await host.start()
role.ready({})
