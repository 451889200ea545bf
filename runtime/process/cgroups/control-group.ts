/**
 * One control group of the kernel (cgroup v2): a folder, whose files the kernel reads and writes.
 * All of the kernel's interface to control groups that we use is in this file.
 */
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { rmdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export class ControlGroup {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  get name(): string {
    return basename(this.path)
  }

  get parent(): ControlGroup {
    return new ControlGroup(dirname(this.path))
  }

  /** Writing "0" to this file moves the writing process into the group. */
  get entry(): string {
    return join(this.path, 'cgroup.procs')
  }

  /** The group of this name inside, which may not exist yet. */
  inner(name: string): ControlGroup {
    return new ControlGroup(join(this.path, name))
  }

  inners(): readonly ControlGroup[] {
    const entries = readdirSync(this.path, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => this.inner(name))
  }

  get exists(): boolean {
    return existsSync(this.path)
  }

  /** Does nothing if it exists. */
  make(): void {
    mkdirSync(this.path, { recursive: true })
  }

  /** True if this process may create groups inside, move processes among them and set limits. */
  get isOurs(): boolean {
    try {
      const files = ['cgroup.procs', 'cgroup.subtree_control'].map((file) => join(this.path, file))
      for (const path of [this.path, ...files]) accessSync(path, constants.W_OK)
      return true
    } catch {
      return false
    }
  }

  /** True for the host's root group, the only one that may have both processes and inner groups. */
  get isHostRoot(): boolean {
    return !existsSync(join(this.path, 'cgroup.type'))
  }

  /** False for a threaded group, which cannot have a memory limit. */
  get isDomain(): boolean {
    return this.isHostRoot || this.#read('cgroup.type') === 'domain'
  }

  /** Controllers that can be enabled for inner groups. */
  get controllers(): readonly string[] {
    return wordsOf(this.#read('cgroup.controllers'))
  }

  /** Enables it for inner groups. Fails with EBUSY while processes are in this group itself. */
  enable(controller: string): void {
    this.set('cgroup.subtree_control', `+${controller}`)
  }

  /** 0 stands for a process that cannot be seen from here. */
  get pids(): readonly number[] {
    return wordsOf(this.#read('cgroup.procs')).map(Number)
  }

  /** Fails with ESRCH if the process has ended. */
  move(pid: number): void {
    this.set('cgroup.procs', String(pid))
  }

  set(file: string, value: string): void {
    writeFileSync(join(this.path, file), value)
  }

  /** One count of a file such as `memory.events`; 0 if the kernel does not have it. */
  count(file: string, name: string): number {
    const line = new RegExp(`^${name} (\\d+)$`, 'm').exec(this.#read(file))
    return Number(line?.[1] ?? 0)
  }

  /** The number that a file such as `pids.peak` consists of. */
  number(file: string): number | undefined {
    const text = this.#read(file)
    return /^\d+$/.test(text) ? Number(text) : undefined
  }

  /** Kills all processes in it and in inner groups. Needs Linux 5.14. */
  kill(): void {
    this.set('cgroup.kill', '1')
  }

  /** False while it cannot be removed, usually because of processes or groups in it. */
  remove(): boolean {
    try {
      rmdirSync(this.path)
      return true
    } catch {
      return !this.exists
    }
  }

  /** Empty for a file that this kernel does not have, and for a removed group. */
  #read(file: string): string {
    return readIfThere(join(this.path, file)).trim()
  }
}

export interface OwnGroup {
  readonly group: ControlGroup
  /** The outermost group that is visible here: that of the host or of a container. */
  readonly top: ControlGroup
}

/** The group of a process, if cgroup v2 is mounted here. `proc`: the path of the proc file system. */
export function groupOfProcess(pid: number, proc = '/proc'): OwnGroup | undefined {
  const own = /^0::(\/.*)$/m.exec(readIfThere(join(proc, String(pid), 'cgroup')))?.[1]
  if (own === undefined) return undefined
  for (const line of readIfThere(join(proc, 'self', 'mountinfo')).split('\n')) {
    const fields = line.split(' ')
    if (fields[fields.indexOf('-') + 1] !== 'cgroup2') continue
    const [root, mounted] = [fields[3], fields[4]].map((field) => unescaped(field ?? ''))
    const path = pathBelow(root!, own)
    if (path === undefined) continue
    const group = new ControlGroup(join(mounted!, path))
    if (existsSync(group.entry)) return { group, top: new ControlGroup(mounted!) }
  }
  return undefined
}

/** A mount may show only the part of the hierarchy below `root`. */
function pathBelow(root: string, path: string): string | undefined {
  if (path === root) return ''
  const from = root === '/' ? root : `${root}/`
  return path.startsWith(from) ? path.slice(from.length) : undefined
}

/** Spaces and the like are octal in mountinfo. */
const unescaped = (field: string) =>
  field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '')

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
