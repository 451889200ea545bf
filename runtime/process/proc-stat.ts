import { readFileSync } from 'node:fs'

/**
 * The fields of `/proc/<pid>/stat` by their numbers in proc(5), from the third on; the second one,
 * the name, may contain any character. Undefined if the process does not exist.
 */
export function readProcStat(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return ['', '', '', ...stat.slice(stat.lastIndexOf(')') + 2).split(' ')]
  } catch {
    return undefined
  }
}
