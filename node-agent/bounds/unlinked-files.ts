/**
 * The disk space of files that have no name any more, but that a browser's processes still use: an
 * open descriptor or a mapping keeps their blocks.
 */
import { createReadStream, type Stats } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { contained } from '../../runtime/lib/network/contained.ts'
import { namesIn, openFolder, pathIn } from '../../runtime/lib/files/open-folder.ts'
import { blockBytes, type DiskUse } from './folder-size.ts'
import { descriptorsOverrun } from './overruns.ts'
import { boundsLimits } from './limits.ts'

/** `root` is a folder on the disk of the browsers' files. */
export async function unlinkedUse(pids: readonly number[], root: string): Promise<DiskUse> {
  const files = new UnlinkedFiles(deviceText((await stat(root)).dev))
  for (const pid of pids) {
    // Descriptors first: their files can always be measured.
    if (!(await files.addOpened(pid))) return { overrun: descriptorsOverrun }
  }
  for (const pid of pids) {
    if (!(await files.addMapped(pid))) return { overrun: descriptorsOverrun }
  }
  return { bytes: files.bytes }
}

/** What `statfs` reports for files in memory, which are not on the disk. */
const tmpfsType = 0x01021994

class UnlinkedFiles {
  bytes = 0
  readonly #disk: string
  readonly #counted = new Set<string>()
  /** By device: whether its files are in memory. */
  readonly #inMemory = new Map<number, boolean>()
  #lookedAt = 0

  constructor(disk: string) {
    this.#disk = disk
  }

  /** Returns false if there are too many to look at. */
  async addOpened(pid: number): Promise<boolean> {
    try {
      await this.#addFile(`/proc/${pid}/exe`)
      const folder = await openFolder(`/proc/${pid}/fd`)
      try {
        for await (const names of namesIn(folder, boundsLimits.filesAtOnce)) {
          this.#lookedAt += names.length
          if (this.#lookedAt > boundsLimits.sessionDescriptors) return false
          await Promise.all(names.map((name) => this.#addFile(pathIn(folder, name))))
        }
      } finally {
        await folder.close()
      }
    } catch {
      // The process has ended.
    }
    return true
  }

  /** Returns false if there are too many to look at. */
  async addMapped(pid: number): Promise<boolean> {
    const end = boundsLimits.processMapsBytes
    const maps = contained(createReadStream(`/proc/${pid}/maps`, { encoding: 'latin1', end }))
    let readBytes = 0
    maps.on('data', (chunk) => (readBytes += chunk.length))
    try {
      for await (const line of createInterface({ input: maps })) {
        const found = mappedLine.exec(line)
        if (!found) continue
        if (++this.#lookedAt > boundsLimits.sessionDescriptors) return false
        await this.#addMapping(pid, found as unknown as MappedLine)
      }
    } catch {
      // The process has ended.
    } finally {
      maps.destroy()
    }
    return readBytes <= end
  }

  async #addMapping(pid: number, [, from, to, device, inode]: MappedLine): Promise<void> {
    if (await this.#addFile(`/proc/${pid}/map_files/${from}-${to}`)) return
    // Only root may measure the file itself. Several mappings of a file count as one.
    if (device !== this.#disk) return
    this.#count(`${device}:${inode}`, parseInt(to, 16) - parseInt(from, 16))
  }

  /** Returns false if the file cannot be measured. */
  async #addFile(path: string | Buffer): Promise<boolean> {
    const stats = await stat(path).catch(() => undefined)
    if (!stats) return false
    if (stats.nlink > 0 || !stats.isFile()) return true
    if (await this.#isInMemory(path, stats)) return true
    this.#count(`${deviceText(stats.dev)}:${stats.ino}`, stats.blocks * blockBytes)
    return true
  }

  #count(file: string, bytes: number): void {
    if (this.#counted.has(file)) return
    this.#counted.add(file)
    this.bytes += bytes
  }

  async #isInMemory(path: string | Buffer, { dev }: Stats): Promise<boolean> {
    let isInMemory = this.#inMemory.get(dev)
    if (isInMemory === undefined) {
      const system = await statfs(path).catch(() => undefined)
      if (!system) return false
      isInMemory = system.type === tmpfsType
      this.#inMemory.set(dev, isInMemory)
    }
    return isInMemory
  }
}

/** A line of `maps` whose file has no name: from, to, device, inode. Memory files are not of interest. */
const mappedLine =
  /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ (\S+) ([1-9]\d*) +(?!\/memfd:|\/dev\/shm\/).* \(deleted\)$/

type MappedLine = readonly [line: string, from: string, to: string, device: string, inode: string]

/** As `maps` writes it. */
function deviceText(dev: number): string {
  const major = (dev >>> 8) & 0xfff
  const minor = (dev & 0xff) | ((dev >>> 12) & 0xfff00)
  return [major, minor].map((part) => part.toString(16).padStart(2, '0')).join(':')
}
