import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

/**
 * Names the loopback interface this process sees (boot of the machine and network namespace), so
 * that a gateway knows when it may dial a browser at 127.0.0.1 itself.
 */
export function machineId(): string {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const namespace = readlinkSync('/proc/self/ns/net')
  return createHash('sha256').update(`${boot} ${namespace}`).digest('hex').slice(0, 16)
}
