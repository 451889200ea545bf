import { limits } from '../proto/limits.ts'
import { Answers } from '../runtime/answers.ts'

/** What this agent has answered, for whoever asks again because the answer was lost on the way. */
export class Asks extends Answers<Uint8Array> {
  constructor() {
    super({
      maxSize: limits.nodeAnswersBytes,
      sizeCalculation: (answer) => answer.byteLength,
    })
  }
}
