#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/rank_gather.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "bl/shared_data.hpp"
#include "data/csv_parts.hpp"
#include "data/file_list.hpp"
#include "data/read_table.hpp"
#include "data/row_index.hpp"
#include "predict/predicting.hpp"
#include "predict/prediction.hpp"

namespace bl {

namespace {

constexpr Index kRowsPerBlock = 4096;
constexpr Index kBlocksPerRun = 16;  // that a rank predicts before it hands them over, where there are many

// What is asked of the rows of files.
class FileRows {
 public:
  FileRows(const Model& model, const std::vector<std::string>& files, const Settings& settings,
           const PredictOptions& options)
      : model_(model.impl()),
        files_(files),
        options_(options),
        reading_(reading_for(model, settings)),
        job_(options.threads),
        utility_(utility_at(model_, options.temperature)),
        encoder_(encoder_for(model_, Part::all, options)),
        heard_(options.on_note) {
    for (const std::string& name : options.carry) reading_.types.try_emplace(name, RawType::text);
  }

  // Of all blocks, one after the other.
  void predict(const std::function<void(const OutputTable&)>& sink) {
    TableReader reader(files_, reading_);
    check_carried_columns(reader);
    while (const auto block = reader.next(kRowsPerBlock)) sink(predicted(*block));
    heard_.tell();
  }

  // The same by ranks: `text` makes the text of a block, `write` gets that of all in order, on rank 0. False
  // where the files cannot be read in parts.
  bool predict_shared(Ranks& ranks, const PredictedText& text,
                      const std::function<void(std::string_view)>& write) {
    const auto index = RowIndex::of(files_, reading_, ranks);
    if (!index) return false;
    const Index blocks = (index->rows() + kRowsPerBlock - 1) / kRowsPerBlock;
    const auto size = static_cast<Index>(ranks.size()), rank = static_cast<Index>(ranks.rank());
    const Index run = std::clamp<Index>(blocks / size, 1, kBlocksPerRun);
    for (Index first = 0; first < blocks; first += run * size) {
      const Index from = std::min(blocks, first + rank * run), to = std::min(blocks, from + run);
      std::string own;
      all_or_none(ranks, [&] {
        if (from < to) own = text_of(*index, from, to, text);
      });
      const std::vector<std::string> texts = gather_texts(ranks, own);
      all_or_none(ranks, [&] {
        for (const std::string& one : texts)
          if (rank == 0) write(one);
      });
    }
    if (RowNotes* notes = heard_.notes()) notes->join(ranks);
    heard_.tell();
    return true;
  }

 private:
  OutputTable predicted(const Table& block) {
    return predict_rows(model_, encoder_, block, all_rows(block.rows), utility_, options_, job_,
                        heard_.notes());
  }

  std::string text_of(const RowIndex& index, Index from, Index to, const PredictedText& text) {
    const RowMark& mark = index.mark(from * kRowsPerBlock);
    TableReader reader(files_, reading_, mark);
    check_carried_columns(reader);
    reader.skip(from * kRowsPerBlock - mark.row);
    std::string out;
    for (Index block = from; block < to; ++block)
      out += text(predicted(*reader.next(kRowsPerBlock)), block == 0);
    return out;
  }

  void check_carried_columns(const TableReader& reader) const {
    for (const std::string& name : options_.carry)
      if (std::find(reader.names().begin(), reader.names().end(), name) == reader.names().end())
        throw DataError(fmt::format("{}: there is no column {} to carry along{}", name_of_files(files_),
                                    in_quotes(name), did_you_mean(name, reader.names())));
  }

  const FittedModel& model_;
  const std::vector<std::string>& files_;
  const PredictOptions& options_;
  ReadOptions reading_;
  Context job_;
  gibbs::Utility utility_;
  Encoder encoder_;
  HeardNotes heard_;  // of all blocks together
};

void predict_alone(const Model& model, const std::vector<std::string>& files, const Settings& settings,
                   const PredictOptions& options, const std::function<void(const OutputTable&)>& sink) {
  // The lines of a situation may stand anywhere in the files.
  if (model.is_choice()) return sink(model.predict(read_files(model, files, settings), Part::all, options));
  FileRows(model, files, settings, options).predict(sink);
}

}  // namespace

Data read_files(const Model& model, const std::vector<std::string>& paths, const Settings& settings) {
  const std::vector<std::string> files = files_of(paths);
  if (files.size() == 1) return model.read(files[0], settings);
  const SpillScope scope(settings.out_of_core);
  return Data(std::make_shared<Data::Impl>(Data::Impl{read_files(files, reading_for(model, settings))}));
}

void predict_files(const Model& model, const std::vector<std::string>& paths, const Settings& settings,
                   const PredictOptions& options, const PredictedText& text,
                   const std::function<void(std::string_view)>& write) {
  const std::vector<std::string> files = files_of(paths);
  const auto alone = [&] {
    bool first = true;
    predict_alone(model, files, settings, options,
                  [&](const OutputTable& table) { write(text(table, std::exchange(first, false))); });
  };
  const std::shared_ptr<Ranks> ranks = current_ranks();
  if (!ranks) return alone();
  if (!model.is_choice() && FileRows(model, files, settings, options).predict_shared(*ranks, text, write))
    return;
  on_first_rank(*ranks, alone);
}

}  // namespace bl
