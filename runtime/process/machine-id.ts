import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

/**
 * Identifies the loopback interface of this process (boot of the machine and network namespace), so
 * that a gateway knows whether it can dial a browser at 127.0.0.1.
 */
export function machineId(): string {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const namespace = readlinkSync('/proc/self/ns/net')
  return createHash('sha256').update(`${boot} ${namespace}`).digest('hex').slice(0, 16)
}
