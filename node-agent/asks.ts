import { limits } from '../proto/limits.ts'
import { Answers } from '../runtime/answers.ts'

/** Remembers answers, for callers that ask again because an answer was lost on the way. */
export class Asks extends Answers<Uint8Array> {
  constructor() {
    super({
      maxSize: limits.nodeAnswersBytes,
      sizeCalculation: (answer) => answer.byteLength,
    })
  }
}
