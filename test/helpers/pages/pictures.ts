/** Reads screenshots in a browser, in every format that it knows. */
import type { Page } from 'playwright-core'

/** What the functions below use of a page's own world. */
interface Pen {
  font: string
  fillStyle: string
  textBaseline: string
  measureText(text: string): { readonly width: number }
  fillRect(left: number, top: number, width: number, height: number): void
  fillText(text: string, left: number, top: number): void
  drawImage(image: unknown, left: number, top: number): void
  getImageData(
    left: number,
    top: number,
    width: number,
    height: number,
  ): { readonly data: Uint8ClampedArray }
}
declare const createImageBitmap: (
  blob: Blob,
) => Promise<{ readonly width: number; readonly height: number }>
declare const OffscreenCanvas: new (
  width: number,
  height: number,
) => { getContext(kind: '2d'): Pen }

export interface PictureBytes {
  readonly image: Uint8Array
  readonly type: string
}

export interface PixelBox {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

const dataUrl = ({ image, type }: PictureBytes) =>
  `data:${type};base64,${Buffer.from(image).toString('base64')}`

/** For each box, which share of its pixels differs clearly between the two pictures. */
export function differingShares(
  reader: Page,
  pictures: readonly [PictureBytes, PictureBytes],
  boxes: readonly PixelBox[],
): Promise<number[]> {
  return reader.evaluate(
    async ([urls, all]) => {
      const read = async (url: string) => {
        const bitmap = await createImageBitmap(await (await fetch(url)).blob())
        const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
        pen.drawImage(bitmap, 0, 0)
        return pen
      }
      const pens = await Promise.all(urls.map(read))
      return all.map(({ left, top, width, height }) => {
        const [one, other] = pens.map((pen) => pen.getImageData(left, top, width, height).data)
        let changed = 0
        for (let i = 0; i < one!.length; i += 4) {
          if ([0, 1, 2].some((c) => Math.abs(one![i + c]! - other![i + c]!) > 60)) changed++
        }
        return changed / (one!.length / 4)
      })
    },
    [pictures.map(dataUrl), boxes] as const,
  )
}

export interface ExpectedLabel {
  readonly text: string
  readonly left: number
  /** The lower edge of the label. */
  readonly bottom: number
}

/** Which share of the pixels of a label, in black and white, is not as expected. */
export function labelError(
  reader: Page,
  picture: PictureBytes,
  label: ExpectedLabel,
): Promise<number> {
  return reader.evaluate(
    async ([url, { text, left, bottom }]) => {
      const bitmap = await createImageBitmap(await (await fetch(url)).blob())
      const pens = [0, 1].map(() =>
        new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d'),
      )
      pens[0]!.drawImage(bitmap, 0, 0)
      const pen = pens[1]!
      pen.font = 'bold 12px sans-serif'
      const width = Math.ceil(pen.measureText(text).width) + 6
      pen.fillStyle = 'black'
      pen.fillRect(left, bottom - 15, width, 15)
      pen.fillStyle = 'white'
      pen.textBaseline = 'middle'
      pen.fillText(text, left + 3, bottom - 15 / 2 + 1)
      const isWhite = ({ data }: { readonly data: Uint8ClampedArray }) =>
        [...data].filter((_, i) => i % 4 === 0).map((red) => red > 215)
      const [drawn, expected] = pens.map((one) =>
        isWhite(one.getImageData(left, bottom - 14, width, 12)),
      )
      return drawn!.filter((white, i) => white !== expected![i]).length / drawn!.length
    },
    [dataUrl(picture), label] as const,
  )
}
