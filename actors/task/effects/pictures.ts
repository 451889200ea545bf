/**
 * Screenshots of the pages that decisions are based on. They are taken and stored while the model
 * works, so they cost no time; they are awaited only if the model is to see them.
 */
import { LRUCache } from 'lru-cache'
import type { CommandCall, CommandOutput } from '../../../proto/commands/catalogue.ts'
import { screenshotCommand } from '../../../proto/commands/os-control/page.ts'
import { fromWireError } from '../../../proto/errors.ts'
import { subjects } from '../../../proto/subjects.ts'
import type { TaskBrowser } from './browser.ts'
import type { PictureGeometry } from '../state/context.ts'
import type { TaskEffectDeps } from './deps.ts'
import type { ModelPicture } from '../models/model.ts'
import type { StoredTally } from './stored-tally.ts'
import { taskRunLimits } from '../limits.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

export interface TaskPicture {
  readonly picture: ModelPicture
  readonly lens: PictureGeometry
}

type Camera = Pick<TaskBrowser, 'run'>
type PictureDeps = Pick<TaskEffectDeps, 'pictures' | 'log'> & {
  readonly tally: Pick<StoredTally, 'add'>
}

const action: CommandCall = {
  command: 'screenshot',
  input: screenshotCommand.input.parse({
    format: 'jpeg',
    quality: commandLimits.modelPictureQuality,
    max_width: commandLimits.modelPictureWidthPx,
    max_height: commandLimits.modelPictureHeightPx,
  }),
}

export class TaskPictures {
  readonly #deps: PictureDeps
  /** Screenshots in progress, by subject. */
  readonly #taking = new Map<string, Promise<TaskPicture | undefined>>()
  /**
   * Subjects of the latest stored screenshots. Asking the store instead would transfer the whole
   * image.
   */
  readonly #kept = new LRUCache<string, true>({ max: taskRunLimits.picturesRemembered })

  constructor(deps: PictureDeps) {
    this.#deps = deps
  }

  /**
   * Undefined if none can be taken: the task continues without it. A task whose `storedBytes` of
   * pictures are at their limit has it for its model only.
   */
  take(
    taskId: string,
    step: number,
    browser: Camera,
    storedBytes = 0,
  ): Promise<TaskPicture | undefined> {
    const subject = subjects.taskPicture(taskId, step)
    const keep = storedBytes < taskRunLimits.pictureBytes
    const taking = (keep ? this.#take(taskId, subject, browser) : takeShot(browser).then(toShot))
      .catch((error: unknown) => {
        this.#deps.log.warn({ err: error, taskId, step }, 'no picture of the page')
        return undefined
      })
      .finally(() => {
        if (this.#taking.get(subject) === taking) this.#taking.delete(subject)
      })
    this.#taking.set(subject, taking)
    return taking
  }

  /** A screenshot that is used once and not stored with a step; undefined if none can be taken. */
  async takeUnstored(taskId: string, browser: Camera): Promise<ModelPicture | undefined> {
    try {
      return (await takeShot(browser)).shot.picture
    } catch (error) {
      this.#deps.log.warn({ err: error, taskId }, 'no picture of the page')
      return undefined
    }
  }

  /** Resolves with whether the step has a screenshot, once a running one is stored. */
  async has(taskId: string, step: number): Promise<boolean> {
    const subject = subjects.taskPicture(taskId, step)
    await this.#taking.get(subject)
    return this.#kept.has(subject) || (await this.#deps.pictures.last(subject)) !== undefined
  }

  async #take(taskId: string, subject: string, browser: Camera): Promise<TaskPicture> {
    const { image, shot } = await takeShot(browser)
    const { pictures, tally } = this.#deps
    await pictures.append(subject, image, (await pictures.last(subject))?.seq ?? 0)
    this.#kept.set(subject, true)
    tally.add(taskId, 'pictures', image.byteLength)
    return shot
  }
}

const toShot = ({ shot }: { readonly shot: TaskPicture }) => shot

async function takeShot(browser: Camera): Promise<{ image: Uint8Array; shot: TaskPicture }> {
  const [reply] = await browser.run([action], 'safe')
  if (!reply!.ok) throw fromWireError(reply!.error)
  const { image, left, top, scale } = reply!.value as CommandOutput<'screenshot'>
  const base64 = Buffer.from(image).toString('base64')
  return {
    image,
    shot: { picture: { mimeType: 'image/jpeg', base64 }, lens: { left, top, scale } },
  }
}
