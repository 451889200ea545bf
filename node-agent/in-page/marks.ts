/**
 * Draws the refs of a snapshot into a screenshot, with a canvas that is not part of the document.
 */

/** In px of the page, relative to the top left of the picture. */
export interface PictureMark {
  /** Empty: only the frame is drawn. */
  readonly label: string
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export interface MarkedPicture {
  /** A PNG in base64. */
  readonly png: string
  /** The MIME type of the answer and, for lossy types, its quality in percent. */
  readonly type: string
  readonly quality: number | undefined
  /** Pixels of the picture per pixel of the page, at a device pixel ratio of 1. */
  readonly scale: number
  readonly marks: readonly PictureMark[]
}

export type MarkBox = Omit<PictureMark, 'label'>
export type MarkPen = OffscreenCanvasRenderingContext2D

/** Dark enough for white text; neighbouring colours are easy to distinguish. */
export const markColours = ['#b3261e', '#1a56c4', '#146c2e', '#7b1fa2', '#8a4600', '#006a6a']
export const markLabel = { fontPx: 12, heightPx: 15, paddingPx: 3 } as const

/** The picture with its marks, in base64. */
export async function drawMarks({ png, type, quality, scale, marks }: MarkedPicture) {
  const bytes = Uint8Array.from(atob(png), (char) => char.charCodeAt(0))
  const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
  const canvas = new OffscreenCanvas(picture.width, picture.height)
  const pen = canvas.getContext('2d')!
  pen.drawImage(picture, 0, 0)
  const ratio = scale * devicePixelRatio
  const placed = marks.map((mark) => ({ mark, box: scaledMarkBox(mark, ratio) }))
  const shown = placed.filter(({ box }) =>
    boxesOverlap(box, { left: 0, top: 0, ...canvasSizeOf(canvas) }),
  )
  for (const [at, { box }] of shown.entries())
    drawMarkFrame(pen, box, markColours[at % markColours.length]!)
  const taken: MarkBox[] = []
  for (const [at, { mark, box }] of shown.entries()) {
    if (mark.label === '') continue
    pen.font = `bold ${markLabel.fontPx}px sans-serif`
    const width = Math.ceil(pen.measureText(mark.label).width) + 2 * markLabel.paddingPx
    const place = labelBoxFor(
      box,
      { width, height: markLabel.heightPx },
      canvasSizeOf(canvas),
      taken,
    )
    taken.push(place)
    drawMarkLabel(pen, mark.label, place, markColours[at % markColours.length]!)
  }
  const blob = await canvas.convertToBlob({
    type,
    ...(quality !== undefined && { quality: quality / 100 }),
  })
  return base64OfBlob(blob)
}

export const canvasSizeOf = ({
  width,
  height,
}: {
  readonly width: number
  readonly height: number
}) => ({
  width,
  height,
})

export const scaledMarkBox = ({ left, top, width, height }: MarkBox, ratio: number): MarkBox => ({
  left: left * ratio,
  top: top * ratio,
  width: width * ratio,
  height: height * ratio,
})

export const boxesOverlap = (one: MarkBox, other: MarkBox): boolean =>
  one.left < other.left + other.width &&
  other.left < one.left + one.width &&
  one.top < other.top + other.height &&
  other.top < one.top + one.height

export function drawMarkFrame(
  pen: MarkPen,
  { left, top, width, height }: MarkBox,
  colour: string,
): void {
  pen.lineWidth = 3
  pen.strokeStyle = 'white'
  pen.strokeRect(left, top, width, height)
  pen.lineWidth = 2
  pen.strokeStyle = colour
  pen.strokeRect(left, top, width, height)
}

/** Above the box if that is free, else at another of its corners; always inside the picture. */
export function labelBoxFor(
  { left, top, width, height }: MarkBox,
  size: { readonly width: number; readonly height: number },
  whole: { readonly width: number; readonly height: number },
  taken: readonly MarkBox[],
): MarkBox {
  const right = left + width - size.width
  const spots = [
    [left, top - size.height],
    [right, top - size.height],
    [left, top + height],
    [left, top],
    [right, top + height],
    [left - size.width, top],
    [left + width, top],
  ] as const
  const places = spots.map(([x, y]) => ({
    left: Math.max(0, Math.min(x, whole.width - size.width)),
    top: Math.max(0, Math.min(y, whole.height - size.height)),
    ...size,
  }))
  return places.find((place) => !taken.some((other) => boxesOverlap(place, other))) ?? places[3]!
}

export function drawMarkLabel(
  pen: MarkPen,
  label: string,
  { left, top, width, height }: MarkBox,
  colour: string,
): void {
  pen.fillStyle = colour
  pen.fillRect(left, top, width, height)
  pen.fillStyle = 'white'
  pen.textBaseline = 'middle'
  pen.fillText(label, left + markLabel.paddingPx, top + height / 2 + 1)
}

export function base64OfBlob(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve((reader.result as string).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error ?? new Error('The picture cannot be read.'))
    reader.readAsDataURL(blob)
  })
}
