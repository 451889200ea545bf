import { cpus } from 'node:os'

export interface MachineSeconds {
  readonly busy: number
  readonly idle: number
}

/** What all processors of the machine have done since it was started, in seconds. */
export function machineSeconds(): MachineSeconds {
  const times = cpus().map(({ times }) => times)
  const sum = (ms: readonly number[]) => ms.reduce((total, one) => total + one, 0) / 1_000
  return {
    busy: sum(times.flatMap(({ user, nice, sys, irq }) => [user, nice, sys, irq])),
    idle: sum(times.map(({ idle }) => idle)),
  }
}
