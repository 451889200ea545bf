/**
 * Reads a multipart form with one file as it arrives. The file is passed on while the form is still
 * being received, but its end is held back until the whole form is known to be valid, so `store`
 * never has to delete a finished file.
 */
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { HttpRequest } from '../server/http.ts'
import { validateInput } from '../routing/schemas/validate.ts'
import { fileLimits } from './limits.ts'

export interface MultipartForm<T, F> {
  /** The fields of the form without the file. */
  readonly fields: z.ZodType<F>
  readonly store: (name: string, content: FileContent) => Promise<T>
}

export interface ReceivedForm<T, F> {
  /** The result of `store`. */
  readonly stored: T
  readonly fields: F
}

/**
 * Iterating throws if the form turns out to be invalid; the received part must then be discarded.
 */
export type FileContent = AsyncIterable<Uint8Array>

export function receiveFile<T, F>(
  request: HttpRequest,
  form: MultipartForm<T, F>,
): Promise<ReceivedForm<T, F>> {
  return new FormReader(request, form).read()
}

const part = 'file'

class FormReader<T, F> {
  readonly #request: HttpRequest
  readonly #form: MultipartForm<T, F>
  readonly #fields: Record<string, string> = {}
  #file: BusboyFileStream | undefined
  #storing: Promise<T> | undefined
  /** Resolves when the form has been received and is valid. */
  readonly #whole: Promise<F>
  #finish!: (fields: F) => void
  #fail!: (error: unknown) => void

  constructor(request: HttpRequest, form: MultipartForm<T, F>) {
    this.#request = request
    this.#form = form
    this.#whole = new Promise((resolve, reject) => {
      this.#finish = resolve
      this.#fail = reject
    })
    // The form may fail before anything awaits this promise.
    this.#whole.catch(() => {})
  }

  async read(): Promise<ReceivedForm<T, F>> {
    const parser = this.#parser()
    const body = this.#body()
    body.once('error', this.#fail)
    body.pipe(parser)
    try {
      const fields = await this.#whole
      return { stored: await this.#storing!, fields }
    } catch (error) {
      body.unpipe(parser)
      body.destroy()
      this.#file?.destroy(error as Error)
      // The file fails as well; the error of the form is what the client should see.
      await this.#storing?.catch(() => {})
      throw error
    }
  }

  #body(): Readable {
    try {
      return this.#request.stream(limits.uploadBytes + fileLimits.formOverheadBytes)
    } catch (error) {
      // The client can only change the size of the file, so that is what the error refers to.
      throw error instanceof ServiceError && error.type === 'too_large' ? tooLargeError() : error
    }
  }

  #parser(): BusboyInstance {
    const parser = newParser(this.#request.headers.get('content-type') ?? '')
    parser.on('file', (name, file, fileName) => this.#onFile(name, file, fileName))
    parser.on('field', (name, value, _nameCut, valueCut) => {
      if (valueCut) this.#fail(badInputError(`The part ${name} is too long.`))
      if (name === part)
        this.#fail(badInputError(`The part ${part} must be a file: give it a file name.`))
      this.#fields[name] = value
    })
    const tooMany = () => this.#fail(badInputError('The form has too many parts.'))
    parser.once('partsLimit', tooMany).once('fieldsLimit', tooMany)
    parser.once('error', (cause) =>
      this.#fail(badInputError('The form is malformed or incomplete.', cause)),
    )
    parser.once('finish', () => this.#check())
    return parser
  }

  #check(): void {
    try {
      if (!this.#storing)
        throw badInputError(`The form has no part named ${part}; send the file in it.`)
      this.#finish(validateInput(this.#form.fields, this.#fields, 'body') as F)
    } catch (error) {
      this.#fail(error)
    }
  }

  #onFile(name: string, file: BusboyFileStream, fileName: string | undefined): void {
    // The parser emits the same error.
    file.on('error', () => {})
    if (name !== part)
      return this.#fail(badInputError(`The part that contains the file must be named ${part}.`))
    if (this.#file)
      return this.#fail(
        badInputError('The form has more than one file; send one file per request.'),
      )
    this.#file = file
    file.once('limit', () => this.#fail(tooLargeError()))
    this.#storing = this.#form.store(fileName ?? '', this.#heldUntilWhole(file))
    this.#storing.catch(this.#fail)
  }

  async *#heldUntilWhole(file: BusboyFileStream): FileContent {
    yield* file as AsyncIterable<Uint8Array>
    await this.#whole
  }
}

function newParser(contentType: string): BusboyInstance {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    const message = `Send the file as multipart/form-data, in a part named ${part}.`
    throw new ServiceError('unsupported_media_type', message)
  }
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fileSize: limits.uploadBytes,
        fieldSize: fileLimits.formFieldBytes,
        parts: fileLimits.formParts,
        headerSize: fileLimits.formFieldBytes,
      },
    })
  } catch (cause) {
    throw badInputError('The content type must have a boundary parameter.', cause)
  }
}

function tooLargeError(): ServiceError {
  const text = `A file can have at most ${limits.uploadBytes} bytes.`
  return new ServiceError('too_large', text, { limit_bytes: limits.uploadBytes })
}

function badInputError(message: string, cause?: unknown): ServiceError {
  return new ServiceError('bad_request', message, {}, cause)
}
