/** The node-agent process. */
import { loadConfig } from '../runtime/config/config.ts'
import { openMember } from '../runtime/process/role/member.ts'
import { openNodeAgent, type NodeAgent } from './agent.ts'
import { encoderLack } from './video/encoder.ts'

let agent: NodeAgent | undefined
const recordingLack = encoderLack() ?? ''
const role = await openMember('node-agent', {
  config: loadConfig(),
  describe: () => {
    if (!agent) return { recordingLack }
    const { dataUrl, isolation, isolationLacks, bounds } = agent
    return { dataUrl, isolation, isolationLacks, bounds, recordingLack, browsers: agent.load() }
  },
})
try {
  agent = await openNodeAgent(role)
  const { dataUrl, drain } = agent
  role.onDrain(drain)
  role.lease.touch()
  await role.replacePredecessors()
  role.ready({ dataUrl })
} catch (error) {
  role.fatal(`the node agent did not start: ${(error as Error).message}`)
}
